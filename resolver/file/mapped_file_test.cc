#include "resolver/file/mapped_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/file/file_version.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

// Sets the soft limit of open descriptors, and restores it at the end of the scope.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(int most) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    struct rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(most);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  }
  ~DescriptorLimit() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  struct rlimit before_ = {};
};

// The descriptor that the next opened file will get.
int NextDescriptor() { return UniqueFd(open("/dev/null", O_RDONLY)).get(); }

class MappedFileTest : public testing::Test {
 protected:
  static constexpr size_t kSize = 10;

  MappedFileTest() {
    WriteNew(path_, "0123456789");
    EXPECT_EQ(stat(path_.c_str(), &first_), 0);
  }

  static void WriteNew(const std::string& path, const std::string& text) {
    UniqueFd fd(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0644));
    EXPECT_EQ(write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // Sets the times that the file had in the beginning.
  int KeepTimes() const {
    const struct timespec times[2] = {first_.st_atim, first_.st_mtim};
    return utimensat(AT_FDCWD, path_.c_str(), times, 0);
  }
  void Overwrite(const std::string& text) const {
    UniqueFd fd(open(path_.c_str(), O_WRONLY));
    EXPECT_EQ(write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  std::shared_ptr<const Asset> Map() const {
    UniqueFd fd(open(path_.c_str(), O_RDONLY));
    struct stat info;
    EXPECT_TRUE(StatWhenStable(fd.get(), &info));
    RequestContext context;
    auto found = versions_->Find(context, fd.get(), path_, info);
    EXPECT_TRUE(found.ok()) << found.status();
    auto asset = MappedFile::Map(std::move(fd), path_, info, *std::move(found), versions_);
    EXPECT_TRUE(asset.ok()) << asset.status();
    return *std::move(asset);
  }
  // Maps the file while descriptors are so few that none is kept.
  std::shared_ptr<const Asset> MapWithoutDescriptor() const {
    const int next = NextDescriptor();
    const DescriptorLimit limit(2 * next + 1);
    std::shared_ptr<const Asset> asset = Map();
    EXPECT_EQ(NextDescriptor(), next) << "the descriptor was closed";
    return asset;
  }

  std::string LossOf(const Asset& asset) const {
    const absl::Status status = asset.Check();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    return std::string(status.message());
  }
  std::string Loss(const std::string& how) const {
    return "'" + path_ + "' " + how + " while in use; reload the stage";
  }

  const TempDir folder_;
  const std::string path_ = folder_ / "a.bin";
  struct stat first_ = {};
  std::shared_ptr<FileVersions> versions_ = std::make_shared<FileVersions>();
  RequestContext context_;
};

TEST_F(MappedFileTest, ReadsAtAnyOffset) {
  const auto asset = Map();
  EXPECT_EQ(asset->name(), path_);
  EXPECT_EQ(asset->size(), kSize);
  const struct {
    uint64_t offset;
    size_t room;
    std::string read;
  } kCases[] = {{0, 3, "012"}, {7, 3, "789"}, {8, 5, "89"},          {9, 1, "9"},
                {10, 1, ""},   {11, 1, ""},   {uint64_t(-1), 1, ""}, {2, 0, ""}};
  for (const auto& c : kCases) {
    std::string text(c.room, '-');
    const auto count =
        asset->Read(context_, c.offset, std::as_writable_bytes(std::span<char>(text)));
    ASSERT_TRUE(count.ok()) << c.offset;
    EXPECT_EQ(text.substr(0, *count), c.read) << c.offset;
  }
}

TEST_F(MappedFileTest, AMappingErrorNamesThePath) {
  struct stat info = {};
  info.st_size = 10;
  const auto asset = MappedFile::Map(UniqueFd(-1), path_, info, {}, versions_);
  EXPECT_EQ(asset.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(asset.status().message().find(path_) != std::string::npos) << asset.status();
}

TEST_F(MappedFileTest, ADescriptorIsKeptOnlyInTheLowerHalfOfTheLimit) {
  const int next = NextDescriptor();
  for (const bool kept : {false, true}) {
    const DescriptorLimit limit(2 * next + (kept ? 2 : 1));
    const auto asset = Map();
    EXPECT_EQ(NextDescriptor(), kept ? next + 1 : next);
    EXPECT_TRUE(asset->Check().ok());
  }
  EXPECT_EQ(NextDescriptor(), next) << "closed with its file";
  const SystemCallHook unknown("getrlimit", Fail(EPERM));
  const auto asset = Map();
  EXPECT_EQ(NextDescriptor(), next) << "not kept if the limit is unknown";
}

TEST_F(MappedFileTest, WithoutADescriptorTheFileAtThePathIsChecked) {
  const struct {
    const char* what;
    std::function<void()> change;
  } kCases[] = {
      {"nothing", [] {}},
      {"another mode", [&] { fs::permissions(path_, fs::perms::owner_read); }},
      {"moved away", [&] { fs::rename(path_, folder_ / "b.bin"); }},
      {"another file", [&] { WriteNew(path_, "another"); }},
      {"nothing there", [&] { fs::remove(path_); }},
  };
  const auto asset = MapWithoutDescriptor();
  for (const auto& c : kCases) {
    c.change();
    EXPECT_TRUE(asset->Check().ok()) << c.what << " " << asset->Check();
  }
  WriteNew(path_, "0123456789");
  const auto written = MapWithoutDescriptor();
  Overwrite("longer than it was");
  EXPECT_EQ(LossOf(*written), Loss("was overwritten"));
}

TEST_F(MappedFileTest, ALossIsPermanent) {
  const auto asset = Map();
  Overwrite("x");
  EXPECT_EQ(LossOf(*asset), Loss("was overwritten"));
  fs::remove(path_);
  EXPECT_EQ(LossOf(*asset), Loss("was overwritten"));
}

// As `touch -a`, setxattr, a backup, or a hard link that comes and goes do.
TEST_F(MappedFileTest, AnUnexplainedChangeTimeIsNoLossIfTheContentIsTheSame) {
  const auto asset = Map();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(KeepTimes(), 0);
    EXPECT_TRUE(asset->Check().ok()) << asset->Check();
    ASSERT_EQ(link(path_.c_str(), (path_ + "2").c_str()) + unlink((path_ + "2").c_str()), 0);
    EXPECT_TRUE(asset->Check().ok()) << asset->Check();
  }
  Overwrite("012345678x");
  ASSERT_EQ(KeepTimes(), 0);
  const std::string how = "was overwritten, with its size and modification time kept,";
  EXPECT_EQ(LossOf(*asset), Loss(how));
  EXPECT_EQ(LossOf(*asset), Loss("was overwritten")) << "for ever";
}

// A mode that was changed too does not explain a write away.
TEST_F(MappedFileTest, OtherAttributesDoNotHideAWrite) {
  const auto asset = Map();
  Overwrite("012345678x");
  ASSERT_EQ(KeepTimes() + chmod(path_.c_str(), 0600), 0);
  EXPECT_FALSE(asset->Check().ok());
}

TEST_F(MappedFileTest, AChangeTimeThatIsNotTrustedIsIgnored) {
  versions_ = std::make_shared<FileVersions>(FileVersionOptions{.trust_change_time = false});
  const auto asset = Map();
  Overwrite("012345678x");
  ASSERT_EQ(KeepTimes(), 0);
  EXPECT_TRUE(asset->Check().ok());
  Overwrite("longer than it was");
  EXPECT_EQ(LossOf(*asset), Loss("was overwritten"));
}

// The file is examined once more to explain a change time.
TEST_F(MappedFileTest, AWriteDuringACheckIsNoticed) {
  const auto asset = Map();
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  int examined = 0;
  const SystemCallHook write("fstat", [&] {
    if (++examined == 2) Overwrite("longer than it was");
    return 0;
  });
  EXPECT_EQ(LossOf(*asset), Loss("was overwritten"));
  EXPECT_EQ(examined, 2);
}

TEST_F(MappedFileTest, WhatCannotBeExaminedIsNotALoss) {
  const auto asset = Map();
  Overwrite("longer than it was");
  {
    const SystemCallHook unreachable("fstat", Fail(EIO));
    EXPECT_TRUE(asset->Check().ok());
  }
  EXPECT_EQ(LossOf(*asset), Loss("was overwritten"));
}

TEST_F(MappedFileTest, TheContentIsComparedAgainIfTheFileCannotBeExamined) {
  const auto asset = Map();
  Overwrite("012345678x");
  ASSERT_EQ(KeepTimes(), 0);
  {
    const SystemCallHook unreachable("fstat", Fail(EIO, 1, 1));
    EXPECT_TRUE(asset->Check().ok());
  }
  EXPECT_FALSE(asset->Check().ok());
}

// Each of these changes the inode's change time.
TEST_F(MappedFileTest, LinksModesAndOwnersAreNotContent) {
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  const struct {
    const char* what;
    std::function<int()> change;
  } kCases[] = {
      {"link", [&] { return link(path_.c_str(), (path_ + "2").c_str()); }},
      {"unlink", [&] { return unlink((path_ + "2").c_str()); }},
      {"mode", [&] { return chmod(path_.c_str(), 0600); }},
      {"owner", [&] { return geteuid() ? 0 : chown(path_.c_str(), info.st_uid + 1, gid_t(-1)); }},
      {"group", [&] { return geteuid() ? 0 : chown(path_.c_str(), uid_t(-1), info.st_gid + 1); }},
  };
  const auto asset = Map();
  for (const auto& c : kCases) {
    ASSERT_EQ(c.change(), 0) << c.what;
    EXPECT_TRUE(asset->Check().ok()) << c.what << " " << asset->Check();
    EXPECT_TRUE(asset->Check().ok()) << c.what << ", second check";
  }
}

}  // namespace
}  // namespace stagedoor
