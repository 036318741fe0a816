#include "resolver/file/file_resolver.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/access/access_scope.h"
#include "resolver/asset_path.h"
#include "resolver/testing/resolver_conformance.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const FileResolver> MakeResolver(FileResolverOptions options = {}) {
  auto resolver = FileResolver::Create(std::move(options));
  EXPECT_TRUE(resolver.ok()) << resolver.status();
  return *resolver;
}

class FileBackend : public ResolverBackend {
 public:
  explicit FileBackend(bool with_root) {
    FileResolverOptions options;
    if (with_root) options.roots = {directory_.path()};
    resolver_ = MakeResolver(options);
  }
  const Resolver& resolver() const override { return *resolver_; }
  std::string Path(std::string_view name) const override {
    return NormalizeAssetPath(directory_ / name);
  }
  void Write(std::string_view name, std::string_view content) override {
    directory_.Write(name, content);
  }
  void Remove(std::string_view name) override { fs::remove(directory_ / name); }

 private:
  TempDir directory_;
  std::shared_ptr<const FileResolver> resolver_;
};

INSTANTIATE_TEST_SUITE_P(File, ResolverConformance,
                         testing::Values([] { return std::make_unique<FileBackend>(false); }));
INSTANTIATE_TEST_SUITE_P(FileInRoot, ResolverConformance,
                         testing::Values([] { return std::make_unique<FileBackend>(true); }));

class FileRootsTest : public testing::Test {
 protected:
  FileRootsTest() {
    directory_.Write("show/a.usd", "inside");
    directory_.Write("show2/b.usd", "beside");
    directory_.Write("secret.usd", "outside");
    resolver_ = MakeResolver({.roots = {directory_ / "show"}, .working_directory = {}});
  }

  absl::StatusCode CodeOf(const std::string& path) {
    const auto asset = resolver_->OpenAsset(context_, {}, path);
    EXPECT_EQ(resolver_->Resolve(context_, {}, path).status().code(), asset.status().code())
        << path;
    EXPECT_EQ(resolver_->GetVersion(context_, {}, path).status().code(), asset.status().code())
        << path;
    return asset.status().code();
  }

  RequestContext context_;
  TempDir directory_;
  std::shared_ptr<const FileResolver> resolver_;
};

TEST_F(FileRootsTest, OnlyFilesInsideMayBeRead) {
  EXPECT_EQ(CodeOf(directory_ / "show/a.usd"), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(directory_ / "show/none.usd"), absl::StatusCode::kNotFound);
  for (const char* outside :
       {"secret.usd", "show/../secret.usd", "show/../none.usd", "show2/b.usd", "none.usd"}) {
    EXPECT_EQ(CodeOf(directory_ / outside), absl::StatusCode::kPermissionDenied) << outside;
  }
  EXPECT_EQ(CodeOf("/etc/passwd"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(CodeOf("/no/such/file"), absl::StatusCode::kPermissionDenied);
}

TEST_F(FileRootsTest, LinksCannotLeadOutside) {
  fs::create_symlink(directory_ / "secret.usd", directory_ / "show/link.usd");
  fs::create_symlink(directory_.path(), directory_ / "show/up");
  fs::create_symlink("a.usd", directory_ / "show/inner.usd");
  EXPECT_EQ(CodeOf(directory_ / "show/link.usd"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(CodeOf(directory_ / "show/up/secret.usd"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(CodeOf(directory_ / "show/up/show/a.usd"), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(directory_ / "show/inner.usd"), absl::StatusCode::kOk);
}

TEST_F(FileRootsTest, AScopeHidesOtherFilesAndWhereLinksLead) {
  directory_.Write("secret/a.usda", "x");
  directory_.Write("show/b.usda", "x");
  fs::create_symlink(directory_ / "secret/a.usda", directory_ / "show/link.usda");
  fs::create_symlink(directory_ / "secret", directory_ / "show/dir");
  fs::create_symlink(directory_ / "secret/none.usda", directory_ / "show/dangling.usda");
  const auto scope = AccessScope::Create(std::vector<std::string>{directory_ / "show"});
  const ResolverContext scoped = ResolverContext::Create({.access = *scope});
  const auto resolver = MakeResolver({.roots = {directory_.path()}});
  EXPECT_TRUE(resolver->Resolve(context_, scoped, directory_ / "show/b.usda").ok());
  EXPECT_TRUE(resolver->Resolve(context_, {}, directory_ / "show/link.usda").ok());
  for (const char* name : {"secret/a.usda", "secret/none.usda", "show/link.usda", "show/dir/a.usda",
                           "show/dir/none.usda", "show/dangling.usda", "show/none.usda"}) {
    const std::string path = directory_ / name;
    const absl::Status expected = NotFoundError("file not found: ", Quoted(path));
    EXPECT_EQ(resolver->Resolve(context_, scoped, path).status(), expected);
    EXPECT_EQ(resolver->OpenAsset(context_, scoped, path).status(), expected);
    EXPECT_EQ(resolver->GetVersion(context_, scoped, path).status(), expected);
  }
}

TEST_F(FileRootsTest, ARootMayBeALink) {
  fs::create_directory_symlink(directory_ / "show", directory_ / "alias");
  resolver_ = MakeResolver({.roots = {directory_ / "alias"}, .working_directory = {}});
  EXPECT_EQ(CodeOf(directory_ / "alias/a.usd"), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(directory_ / "alias/none.usd"), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(directory_ / "secret.usd"), absl::StatusCode::kPermissionDenied);
}

TEST_F(FileRootsTest, TheRootDirectoryAllowsEverything) {
  resolver_ = MakeResolver({.roots = {"/"}, .working_directory = {}});
  EXPECT_EQ(CodeOf(directory_ / "secret.usd"), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(directory_ / "none.usd"), absl::StatusCode::kNotFound);
}

TEST_F(FileRootsTest, AFileMayBeBelowAnyOfTheRoots) {
  resolver_ =
      MakeResolver({.roots = {directory_ / "show", directory_ / "show2"}, .working_directory = {}});
  EXPECT_EQ(CodeOf(directory_ / "show/a.usd"), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(directory_ / "show2/b.usd"), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(directory_ / "secret.usd"), absl::StatusCode::kPermissionDenied);
}

TEST_F(FileRootsTest, ARootMustBeADirectory) {
  for (const std::string& root : {directory_ / "nowhere", directory_ / "secret.usd",
                                  std::string("relative"), std::string()}) {
    EXPECT_FALSE(FileResolver::Create({.roots = {root}, .working_directory = {}}).ok()) << root;
  }
}

TEST_F(FileRootsTest, OnlyRegularFilesAreAssets) {
  const std::string pipe = directory_ / "show/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(CodeOf(pipe), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(directory_ / "show"), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(directory_ / "show/a.usd/x"), absl::StatusCode::kNotFound);
}

TEST(FileResolverTest, RelativeIdentifiersNeedAWorkingDirectory) {
  RequestContext context;
  TempDir directory;
  directory.Write("sub/a.usd", "x");
  EXPECT_EQ(MakeResolver()->Resolve(context, {}, "sub/a.usd").status().code(),
            absl::StatusCode::kNotFound);
  const auto resolver = MakeResolver({.roots = {}, .working_directory = directory.path()});
  EXPECT_EQ(resolver->Resolve(context, {}, "./sub/a.usd").value(), directory / "sub/a.usd");
  EXPECT_EQ(resolver->Resolve(context, {}, "sub/b.usd").status().code(),
            absl::StatusCode::kNotFound);
  directory.Write("http:/host/a.usd", "x");
  EXPECT_EQ(resolver->Resolve(context, {}, "http://host/a.usd").status().code(),
            absl::StatusCode::kNotFound)
      << "a URI is not a relative path";
}

TEST(FileResolverTest, NamesOfMissingFilesAreNotFound) {
  TempDir directory;
  fs::create_symlink("loop", directory / "loop");
  fs::create_symlink("none", directory / "dangling");
  RequestContext context;
  const auto resolver = MakeResolver();
  for (const std::string& name : {std::string("loop"), std::string("dangling"),
                                  std::string(NAME_MAX + 1, 'x'), std::string(PATH_MAX, 'x')}) {
    EXPECT_EQ(resolver->OpenAsset(context, {}, directory / name).status().code(),
              absl::StatusCode::kNotFound)
        << name;
  }
}

// Files in /sys, for example, all claim the size of a page.
TEST(FileResolverTest, AFileShorterThanItsStatedSizeIsNotPadded) {
  const std::string path = "/sys/kernel/mm/transparent_hugepage/enabled";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  if (text.str().empty()) GTEST_SKIP() << "missing: " << path;
  RequestContext context;
  const auto asset = MakeResolver()->OpenAsset(context, {}, path);
  ASSERT_TRUE(asset.ok()) << asset.status();
  EXPECT_EQ((*asset)->GetBuffer()->text(), text.str());
  EXPECT_EQ((*asset)->size(), text.str().size());
}

// A file that is constantly written to will sooner or later change while it is copied.
TEST(FileResolverTest, ACopyThatMayBeTornIsNotReturned) {
  TempDir directory;
  directory.Write("a.bin", std::string(1 << 22, 'x'));
  const std::string path = directory / "a.bin";
  FileResolverOptions options;
  options.map_threshold = SIZE_MAX;
  const auto resolver = MakeResolver(std::move(options));
  std::atomic<bool> enough = false;
  std::thread writer([&] {
    const int fd = open(path.c_str(), O_WRONLY);
    while (!enough) EXPECT_EQ(pwrite(fd, "y", 1, 100), 1);
    close(fd);
  });
  absl::Status status;
  while (status.ok()) {
    RequestContext context;
    status = resolver->OpenAsset(context, {}, path).status();
  }
  enough = true;
  writer.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Message(status), Concat("'", path, "' changed while it was being read; try again"));
  RequestContext context;
  EXPECT_TRUE(resolver->OpenAsset(context, {}, path).ok());
}

// Runs in a process without the privileges of root.
TEST(FileResolverTest, UnreadableFilesArePermissionDenied) {
  TempDir directory;
  directory.Write("closed/a.usd", "x");
  const std::string path = directory / "closed/a.usd";
  fs::permissions(directory / "closed", fs::perms::none);
  testing::FLAGS_gtest_death_test_style = "fast";
  const auto run = [&] {
    if (geteuid() == 0 && setuid(65534) != 0) exit(1);
    RequestContext context;
    const absl::Status status = MakeResolver()->OpenAsset(context, {}, path).status();
    exit(status.code() == absl::StatusCode::kPermissionDenied &&
                 Message(status) == Concat("'", path,
                                           "' cannot be read: permission denied; check "
                                           "--allow-root and the permissions of the file")
             ? 7
             : 2);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
  fs::permissions(directory / "closed", fs::perms::owner_all);
}

// A file that may be read.
class OneFileTest : public testing::Test {
 protected:
  OneFileTest() { directory_.Write("a.usd", "content"); }

  const TempDir directory_;
  const std::string path_ = directory_ / "a.usd";
  const std::shared_ptr<const FileResolver> resolver_ = MakeResolver();
  RequestContext context_;
};

TEST_F(OneFileTest, InterruptedReadsGoOnAndFailedOnesNameTheFile) {
  {
    const SystemCallHook interrupted("pread", Fail(EINTR, 3));
    const auto asset = resolver_->OpenAsset(context_, {}, path_);
    ASSERT_TRUE(asset.ok()) << asset.status();
    EXPECT_EQ((*asset)->size(), 7u);
  }
  const SystemCallHook broken("pread", Fail(EIO));
  RequestContext context;
  const absl::Status status = resolver_->OpenAsset(context, {}, path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Message(status), Concat("cannot read '", path_, "': EIO (Input/output error)"));
}

// For example, because the server of a network file system has replaced it.
TEST_F(OneFileTest, FilesThatCannotBeExaminedMayBeTriedAgain) {
  for (int successes = 0; successes < 2; ++successes) {
    const SystemCallHook stale("fstat", Fail(ESTALE, 1, successes));
    RequestContext context;
    const absl::Status status = resolver_->OpenAsset(context, {}, path_).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_EQ(Message(status), Concat("cannot open '", path_, "': ESTALE (Stale file handle)"));
  }
  bool was_read = false;
  const SystemCallHook read("pread", [&] {
    was_read = true;
    return 0;
  });
  const SystemCallHook stale("fstat", [&] { return was_read ? ESTALE : 0; });
  const absl::Status status = resolver_->OpenAsset(context_, {}, path_).status();
  EXPECT_EQ(Message(status), Concat("cannot read '", path_, "': ESTALE (Stale file handle)"));
}

TEST_F(OneFileTest, WhatSaysNothingAboutTheFileEndsTheRequest) {
  const auto scope = AccessScope::Create(std::vector<std::string>{directory_.path()});
  const ResolverContext scoped = ResolverContext::Create({.access = *scope});
  for (const int error :
       {EIO, ESTALE, EMFILE, ENFILE, ENOTCONN, ETIMEDOUT, EHOSTDOWN, EKEYEXPIRED, EINTR, ENOMEM}) {
    for (const ResolverContext& resolver_context : {ResolverContext(), scoped}) {
      const SystemCallHook broken("open", path_, Fail(error));
      const SystemCallHook parent("realpath", Fail(error));
      RequestContext resolving, opening, asking;
      const auto path = resolver_->Resolve(resolving, resolver_context, path_);
      EXPECT_EQ(path.status().code(), absl::StatusCode::kUnavailable) << path.status();
      EXPECT_EQ(resolving.Check(), path.status());
      const auto asset = resolver_->OpenAsset(opening, resolver_context, path_);
      EXPECT_EQ(asset.status().code(), absl::StatusCode::kUnavailable) << asset.status();
      EXPECT_EQ(opening.Check(), asset.status());
      const SystemCallHook unknown("stat", path_, Fail(error));
      const auto version = resolver_->GetVersion(asking, resolver_context, path_);
      EXPECT_EQ(version.status().code(), absl::StatusCode::kUnavailable) << version.status();
      EXPECT_TRUE(asking.Check().ok()) << "what was known may still hold";
    }
  }
}

// Callers may retry, but would remember that a file is missing.
TEST_F(OneFileTest, RunningOutOfDescriptorsIsNotAMissingFile) {
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status opened = resolver_->OpenAsset(context_, {}, path_).status();
  RequestContext context;
  const absl::Status resolved = resolver_->Resolve(context, {}, path_).status();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(opened.code(), absl::StatusCode::kUnavailable) << opened;
  EXPECT_EQ(resolved.code(), absl::StatusCode::kUnavailable) << resolved;
  RequestContext later;
  EXPECT_TRUE(resolver_->OpenAsset(later, {}, path_).ok());
}

TEST(FileResolverTest, EveryCallChecksItsPathAndItsRequest) {
  TempDir directory;
  directory.Write("a.usd", "x");
  const std::string path = directory / "a.usd";
  const auto resolver = MakeResolver();
  const auto codes = [&](RequestContext& context, const std::string& identifier) {
    return std::vector<absl::StatusCode>{
        resolver->Resolve(context, {}, identifier).status().code(),
        resolver->OpenAsset(context, {}, identifier).status().code(),
        resolver->GetVersion(context, {}, identifier).status().code()};
  };
  using Codes = std::vector<absl::StatusCode>;
  RequestContext context;
  EXPECT_EQ(codes(context, path), Codes(3, absl::StatusCode::kOk));
  EXPECT_EQ(codes(context, directory / "./x/../a.usd"), Codes(3, absl::StatusCode::kOk));
  EXPECT_EQ(codes(context, path + '\0'), Codes(3, absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(codes(context, ""), Codes(3, absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(codes(context, directory / "b.usd"), Codes(3, absl::StatusCode::kNotFound));
  EXPECT_EQ(codes(context, "a.usd"), Codes(3, absl::StatusCode::kNotFound));
  EXPECT_EQ(codes(context, "http://host/a.usd"), Codes(3, absl::StatusCode::kNotFound));
  EXPECT_EQ(codes(context, directory.path()), Codes(3, absl::StatusCode::kNotFound));
  context.Cancel();
  EXPECT_EQ(codes(context, path), Codes(3, absl::StatusCode::kCancelled));
}

// A mapped file notices that its size changes, a copy does not.
TEST(FileResolverTest, FilesAreMappedFromTheThreshold) {
  static constexpr struct {
    size_t threshold;
    size_t size;
    bool mapped;
  } kCases[] = {{10, 9, false}, {10, 10, true}, {10, 11, true}, {0, 1, true}, {0, 0, false}};
  for (const auto& c : kCases) {
    TempDir directory;
    directory.Write("a.bin", std::string(c.size, 'x'));
    FileResolverOptions options;
    options.map_threshold = c.threshold;
    RequestContext context;
    const auto asset =
        MakeResolver(std::move(options))->OpenAsset(context, {}, directory / "a.bin").value();
    EXPECT_EQ(asset->size(), c.size);
    EXPECT_EQ(asset->GetBuffer()->text(), std::string(c.size, 'x'));
    ASSERT_EQ(truncate((directory / "a.bin").c_str(), 100), 0);
    EXPECT_EQ(!asset->Check().ok(), c.mapped) << c.threshold << " " << c.size;
  }
}

class MappedFileTest : public testing::Test {
 protected:
  std::shared_ptr<const Asset> OpenBigFile() {
    directory_.Write("big.bin", std::string(kSize, 'x'));
    return MakeResolver()->OpenAsset(context_, {}, path()).value();
  }
  std::string path() const { return directory_ / "big.bin"; }

  static constexpr size_t kSize = 1 << 20;
  RequestContext context_;
  TempDir directory_;
};

TEST_F(MappedFileTest, ATruncatedFileReadsAsZerosAndIsReportedDamaged) {
  const auto asset = OpenBigFile();
  const auto mapping = asset->GetBuffer();
  ASSERT_TRUE(mapping.has_value());
  EXPECT_EQ(mapping->text()[kSize - 1], 'x');
  EXPECT_TRUE(asset->Check().ok());
  ASSERT_EQ(truncate(path().c_str(), 4096), 0);
  EXPECT_EQ(asset->Check().code(), absl::StatusCode::kDataLoss) << "seen before any fault";
  for (size_t i = 4096; i < kSize; i += 4096) EXPECT_EQ(mapping->text()[i], '\0') << i;
  EXPECT_EQ(mapping->text()[100], 'x');
  fs::remove(path());
  EXPECT_EQ(asset->Check().code(), absl::StatusCode::kDataLoss) << "the fault is remembered";
  std::byte buffer[16];
  EXPECT_EQ(asset->Read(context_, 0, buffer).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(MappedFileTest, ManyThreadsSurviveTheSameTruncation) {
  const auto asset = OpenBigFile();
  ASSERT_EQ(truncate(path().c_str(), 0), 0);
  std::vector<std::thread> threads;
  std::atomic<size_t> zeros{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (const char c : asset->GetBuffer()->text()) zeros += c == '\0' ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(zeros, 4 * kSize);
}

TEST_F(MappedFileTest, AnOverwrittenFileIsReported) {
  const auto asset = OpenBigFile();
  std::ofstream(path(), std::ios::in | std::ios::binary) << "y";
  struct timespec times[2] = {{0, UTIME_OMIT}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path().c_str(), times, 0), 0);
  EXPECT_EQ(asset->Check().code(), absl::StatusCode::kDataLoss);
}

TEST_F(MappedFileTest, ARestoredTimeDoesNotHideAChange) {
  const auto asset = OpenBigFile();
  const auto version = MakeResolver()->GetVersion(context_, {}, path());
  const auto time = fs::last_write_time(path());
  std::ofstream(path(), std::ios::in | std::ios::binary) << "y";
  fs::last_write_time(path(), time);
  EXPECT_EQ(asset->Check().code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(MakeResolver()->GetVersion(context_, {}, path())->token(), version->token());
}

// The file is opened in the tick in which it was written, and written to again in that tick.
TEST_F(MappedFileTest, AnyWriteAfterOpeningIsNoticed) {
  for (int i = 0; i < 20; ++i) {
    const auto asset = OpenBigFile();
    std::ofstream(path(), std::ios::in | std::ios::binary) << "y";
    EXPECT_EQ(asset->Check().code(), absl::StatusCode::kDataLoss) << i;
  }
}

TEST_F(MappedFileTest, OperationsThatKeepTheContentAreNotChanges) {
  const auto asset = OpenBigFile();
  fs::create_hard_link(path(), directory_ / "link");
  EXPECT_TRUE(asset->Check().ok()) << "linked";
  EXPECT_TRUE(asset->Check().ok()) << "linked, second check";
  fs::permissions(path(), fs::perms::owner_read);
  EXPECT_TRUE(asset->Check().ok()) << "made read-only";
  fs::rename(path(), directory_ / "moved");
  EXPECT_TRUE(asset->Check().ok()) << "moved";
  directory_.Write("moved", "another");
  EXPECT_TRUE(asset->Check().ok()) << "replaced";
  EXPECT_EQ(asset->GetBuffer()->text()[kSize - 1], 'x');
  fs::permissions(directory_ / "link", fs::perms::owner_all);
  std::ofstream(directory_ / "link", std::ios::in | std::ios::binary) << "y";
  EXPECT_EQ(asset->Check().code(), absl::StatusCode::kDataLoss) << "written under another name";
}

// As on a disk with bad blocks: the size is unchanged, but pages are missing.
TEST_F(MappedFileTest, PagesThatCannotBeReadAreAnOutageAndMakeAnotherVersion) {
  const auto asset = OpenBigFile();
  const auto resolver = MakeResolver();
  const auto opened = resolver->OpenAsset(context_, {}, path()).value();
  struct stat whole;
  ASSERT_EQ(stat(path().c_str(), &whole), 0);
  ASSERT_EQ(truncate(path().c_str(), 4096), 0);
  EXPECT_EQ(opened->GetBuffer()->text()[kSize - 1], '\0');
  std::ofstream(path(), std::ios::in | std::ios::binary) << std::string(kSize, 'x');
  const struct timespec same[2] = {whole.st_atim, whole.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path().c_str(), same, 0), 0);
  const AssetVersion before = resolver->GetVersion(context_, {}, path()).value();
  {
    const SystemCallHook broken("pread", path(), Fail(EREMOTEIO));
    const absl::Status status = opened->Check();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(Message(status),
              Concat("cannot read '", path(), "': EREMOTEIO (Remote I/O error); reload the stage"));
  }
  EXPECT_EQ(opened->Check().code(), absl::StatusCode::kUnavailable) << "the zeros stay";
  EXPECT_NE(resolver->GetVersion(context_, {}, path()).value(), before);
  const auto again = resolver->OpenAsset(context_, {}, path()).value();
  EXPECT_TRUE(again->Check().ok());
  EXPECT_EQ(again->version(), resolver->GetVersion(context_, {}, path()).value());
}

// Data that was derived from the mapping must not be used for the content that has come back.
TEST_F(MappedFileTest, ContentThatComesBackIsAnotherVersion) {
  directory_.Write("big.bin", std::string(kSize, 'x'));
  const auto resolver = MakeResolver();
  const auto asset = resolver->OpenAsset(context_, {}, path()).value();
  std::ofstream(path(), std::ios::in | std::ios::binary) << "y";
  EXPECT_EQ(asset->Check().code(), absl::StatusCode::kDataLoss);
  directory_.Write("big.bin", std::string(kSize, 'x'));
  const auto again = resolver->OpenAsset(context_, {}, path()).value();
  EXPECT_NE(again->version(), asset->version());
  EXPECT_EQ(again->version().content(), asset->version().content());
  EXPECT_EQ(again->version(), resolver->GetVersion(context_, {}, path()).value());
  EXPECT_TRUE(again->Check().ok());
}

TEST_F(MappedFileTest, FilesThatCannotBeMappedAreRead) {
  directory_.Write("big.bin", std::string(kSize, 'x'));
  const auto resolver = MakeResolver();
  {
    const SystemCallHook full("mmap", path(), Fail(EAGAIN));
    RequestContext context;
    EXPECT_EQ(resolver->OpenAsset(context, {}, path()).status().code(),
              absl::StatusCode::kUnavailable);
    EXPECT_FALSE(context.Check().ok());
  }
  const SystemCallHook unsupported("mmap", path(), Fail(ENODEV));
  const auto asset = resolver->OpenAsset(context_, {}, path());
  ASSERT_TRUE(asset.ok()) << asset.status();
  EXPECT_EQ((*asset)->GetBuffer()->text(), std::string(kSize, 'x'));
}

TEST_F(MappedFileTest, SmallFilesAreCopies) {
  directory_.Write("small.bin", "0123456789");
  const auto asset = MakeResolver()->OpenAsset(context_, {}, directory_ / "small.bin").value();
  ASSERT_EQ(truncate((directory_ / "small.bin").c_str(), 0), 0);
  EXPECT_EQ(asset->GetBuffer()->text(), "0123456789");
  EXPECT_TRUE(asset->Check().ok());
}

TEST_F(MappedFileTest, OtherBusErrorsStillEndTheProcess) {
  const auto asset = OpenBigFile();
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        const auto mapped = OpenBigFile();
        const int fd = open(path().c_str(), O_RDWR);
        auto* data =
            static_cast<volatile char*>(mmap(nullptr, kSize, PROT_READ, MAP_SHARED, fd, 0));
        if (ftruncate(fd, 0) == 0) (void)data[0];
      },
      "");
}

}  // namespace
}  // namespace stagedoor
