#include "client/cli/safe_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/cli/package_names.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

std::string Content(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const std::vector<std::string>& BadNames() {
  static const auto* names = new std::vector<std::string>{"",
                                                          "/etc/x",
                                                          "..",
                                                          "../x",
                                                          "a/../../x",
                                                          "a/..",
                                                          ".",
                                                          "./x",
                                                          "a//x",
                                                          "a/",
                                                          "//x",
                                                          "a\\x",
                                                          "..\\x",
                                                          "C:x",
                                                          "C:/x",
                                                          "a/C:/x",
                                                          "a\nb",
                                                          "a\x1b[2Jb",
                                                          std::string("a\0b", 3),
                                                          "a/./x"};
  return *names;
}

class SafeFolderTest : public ::testing::Test {
 protected:
  SafeFolderTest() : root_(::testing::TempDir() + "/safe"), out_(root_ / "out") {
    fs::remove_all(root_);
    fs::create_directories(out_);
  }
  absl::Status Write(const std::string& name, const std::string& content) {
    auto folder = SafeFolder::Open(out_.string());
    if (!folder.ok()) return folder.status();
    auto file = folder->Create(name);
    if (!file.ok()) return file.status();
    const absl::Status written = (*file)->Write(content);
    return written.ok() ? (*file)->Commit() : written;
  }
  size_t FilesBelow(const fs::path& path) const {
    size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      count += !entry.is_directory();
    }
    return count;
  }

  const fs::path root_, out_;
};

TEST_F(SafeFolderTest, WritesBelowTheDirectory) {
  ASSERT_TRUE(Write("a.usda", "1").ok());
  ASSERT_TRUE(Write("b/c/..d é.usda", "2").ok()) << "dots are harmless in a longer name";
  ASSERT_TRUE(Write("a.usda", "3").ok()) << "replaces the file of an earlier run";
  EXPECT_EQ(Content(out_ / "a.usda"), "3");
  EXPECT_EQ(Content(out_ / "b/c/..d é.usda"), "2");
  EXPECT_EQ(FilesBelow(root_), 2u) << "no other files";
}

TEST_F(SafeFolderTest, RefusesNamesThatLeadElsewhere) {
  for (const std::string& name : BadNames()) {
    EXPECT_EQ(Write(name, "x").code(), absl::StatusCode::kPermissionDenied) << Quoted(name);
  }
  std::string deep = "x";
  for (int i = 0; i < 200; ++i) deep = "d/" + deep;
  EXPECT_EQ(Write(deep, "x").code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(FilesBelow(root_), 0u);
}

TEST_F(SafeFolderTest, FollowsNoSymbolicLinks) {
  const fs::path elsewhere = root_ / "elsewhere";
  fs::create_directories(elsewhere);
  std::ofstream(elsewhere / "precious") << "precious";
  fs::create_directory_symlink(elsewhere, out_ / "folder");
  fs::create_symlink(elsewhere / "precious", out_ / "file");
  fs::create_symlink(elsewhere / "new", out_ / "dangling");
  for (const char* name : {"folder/x", "folder/precious", "file", "dangling"}) {
    EXPECT_EQ(Write(name, "x").code(), absl::StatusCode::kPermissionDenied) << name;
  }
  // A hard link is replaced, not written through.
  fs::create_hard_link(elsewhere / "precious", out_ / "hard");
  EXPECT_TRUE(Write("hard", "x").ok());
  EXPECT_EQ(Content(elsewhere / "precious"), "precious");
  EXPECT_EQ(FilesBelow(elsewhere), 1u);
}

TEST_F(SafeFolderTest, ReplacesRegularFilesOnly) {
  fs::create_directory(out_ / "folder");
  EXPECT_FALSE(Write("folder", "x").ok());
  ASSERT_EQ(::mkfifo((out_ / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(Write("pipe", "x").ok());
  std::ofstream(out_ / "plain") << "x";
  EXPECT_FALSE(Write("plain/x", "x").ok());
}

TEST_F(SafeFolderTest, RefusesANameThatWasUsedBefore) {
  auto folder = SafeFolder::Open(out_.string());
  ASSERT_TRUE(folder.ok());
  EXPECT_TRUE(folder->Create("a").ok());
  EXPECT_FALSE(folder->Create("a").ok());
}

TEST_F(SafeFolderTest, AnUncommittedFileLeavesNothing) {
  auto folder = SafeFolder::Open(out_.string());
  ASSERT_TRUE(folder.ok());
  {
    auto file = folder->Create("a");
    ASSERT_TRUE(file.ok() && (*file)->Write("half").ok());
  }
  EXPECT_EQ(FilesBelow(root_), 0u);
}

TEST_F(SafeFolderTest, FilesOfTheUserAreReplacedThroughTheirLinks) {
  std::ofstream(root_ / "real") << "old";
  fs::create_symlink(root_ / "real", root_ / "link");
  auto file = OutputFile::Create((root_ / "link").string());
  ASSERT_TRUE(file.ok() && (*file)->Write("new").ok() && (*file)->Commit().ok());
  EXPECT_TRUE(fs::is_symlink(root_ / "link"));
  EXPECT_EQ(Content(root_ / "real"), "new");
}

TEST_F(SafeFolderTest, AFullDiskIsReported) {
  auto file = OutputFile::Create("/dev/full");
  ASSERT_TRUE(file.ok());
  const absl::Status status = (*file)->Write("x");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_NE(std::string(Message(status)).find("/dev/full"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "it was not replaced";
  EXPECT_FALSE(OutputFile::Create("/nowhere/x").ok());
  EXPECT_FALSE(OutputFile::Create(out_.string()).ok());
}

TEST_F(SafeFolderTest, NamesHaveAtMostAHundredComponents) {
  std::string name = "x";
  for (int i = 1; i < 100; ++i) name = "d/" + name;
  EXPECT_TRUE(CheckFileName(name).ok());
  EXPECT_TRUE(Write(name, "x").ok());
  EXPECT_EQ(Message(CheckFileName("d/" + name)),
            Concat("refusing to write ", Quoted("d/" + name),
                   ", a name sent by the daemon: the name has more than 100 components"));
}

TEST(CheckFileNameTest, ARefusalStatesTheReason) {
  const std::pair<std::string, std::string> kCases[] = {
      {"", "the name is empty"},
      {"/a", "the name is absolute"},
      {"a\x1f", "the name contains control characters"},
      {"a\x7f", "the name contains control characters"},
      {"a\\b", "the name contains a backslash"},
      {"a//b", "the name has an empty component"},
      {"a/", "the name has an empty component"},
      {"a/..", "the name has a '.' or '..' component"},
      {".", "the name has a '.' or '..' component"},
      {"C:", "the name has a drive letter"},
      {"a/C:b", "the name has a drive letter"}};
  for (const auto& [name, why] : kCases) {
    EXPECT_EQ(Message(CheckFileName(name)),
              Concat("refusing to write ", Quoted(name), ", a name sent by the daemon: ", why));
  }
  for (const char* name : {"a", "a b", "é~", "...", "ab:c", ":a", "a/b/c", "..a"}) {
    EXPECT_TRUE(CheckFileName(name).ok()) << name;
  }
}

TEST_F(SafeFolderTest, ADirectoryThatCannotBeCreatedIsReported) {
  std::ofstream(root_ / "plain") << "x";
  const auto folder = SafeFolder::Open((root_ / "plain").string());
  EXPECT_EQ(folder.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Message(folder.status()),
            Concat("cannot write into ", Quoted((root_ / "plain").string()), ": Not a directory"));
  EXPECT_TRUE(SafeFolder::Open((root_ / "new/folder").string()).ok());
  EXPECT_TRUE(fs::is_directory(root_ / "new/folder"));
  std::ofstream(out_ / "plain") << "x";
  EXPECT_EQ(Message(Write("plain/x", "x")),
            Concat("refusing to write 'plain/x', a name sent by the daemon: 'plain' in ",
                   Quoted(out_.string()), " is not a writable directory (Not a directory)"));
}

// A ZIP archive with one stored member, whose name in the central directory and in the local header
// may differ.
std::string Zip(const std::string& directory_name, const std::string& local_name) {
  const auto number = [](uint32_t n, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(n >> (8 * i));
    return bytes;
  };
  const std::string local = "PK\x03\x04" + std::string(22, '\0') +
                            number(static_cast<uint32_t>(local_name.size()), 2) + number(0, 2) +
                            local_name;
  const std::string member = "PK\x01\x02" + std::string(24, '\0') +
                             number(static_cast<uint32_t>(directory_name.size()), 2) +
                             std::string(12, '\0') + number(0, 4) + directory_name;
  return local + member + "PK\x05\x06" + std::string(4, '\0') + number(1, 2) + number(1, 2) +
         number(static_cast<uint32_t>(member.size()), 4) +
         number(static_cast<uint32_t>(local.size()), 4) + number(0, 2);
}

absl::Status Check(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/package.usdz";
  std::ofstream(path, std::ios::binary) << bytes;
  const int fd = ::open(path.c_str(), O_RDONLY);
  const absl::Status status = CheckPackageNames(fd);
  ::close(fd);
  return status;
}

TEST(PackageNamesTest, ChecksBothNamesOfEachMember) {
  EXPECT_TRUE(Check(Zip("a/b.usda", "a/b.usda")).ok()) << Check(Zip("a/b.usda", "a/b.usda"));
  for (const std::string& name : BadNames()) {
    EXPECT_FALSE(Check(Zip(name, name)).ok()) << Quoted(name);
  }
  EXPECT_FALSE(Check(Zip("a", "../evil")).ok());
}

TEST(PackageNamesTest, ATruncatedPackageIsAnError) {
  const std::string zip = Zip("a", "a");
  for (size_t size = 0; size < zip.size(); ++size) {
    EXPECT_FALSE(Check(zip.substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace stagedoor
