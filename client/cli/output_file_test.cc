#include "client/cli/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/status.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() : folder_(fs::path(::testing::TempDir()) / "output_file") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  std::string Path(const char* name) const { return (folder_ / name).string(); }
  static std::string Content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void Write(const std::string& path, const std::string& content) {
    auto file = OutputFile::Create(path);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE((*file)->Write(content).ok());
    ASSERT_TRUE((*file)->Commit().ok());
  }
  size_t Files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 0777;
  }

  const fs::path folder_;
};

TEST_F(OutputFileTest, TheFileAppearsOnlyWhenItIsComplete) {
  {
    auto file = OutputFile::Create(Path("a"));
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE((*file)->Write("half").ok());
    EXPECT_FALSE(fs::exists(Path("a")));
    EXPECT_EQ(Files(), 1u) << "the temporary file";
  }
  EXPECT_EQ(Files(), 0u);
  Write(Path("a"), "whole");
  EXPECT_EQ(Content(Path("a")), "whole");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(OutputFileTest, AReplacedFileKeepsItsPermissions) {
  std::ofstream(Path("a")) << "old";
  ASSERT_EQ(::chmod(Path("a").c_str(), 0640), 0);
  Write(Path("a"), "new");
  EXPECT_EQ(Content(Path("a")), "new");
  EXPECT_EQ(ModeOf(Path("a")), mode_t{0640});
}

TEST_F(OutputFileTest, ANewFileObservesTheUmask) {
  const mode_t mask = ::umask(027);
  Write(Path("a"), "x");
  ::umask(mask);
  EXPECT_EQ(ModeOf(Path("a")), mode_t{0640});
}

TEST_F(OutputFileTest, TwoFilesAreWrittenAtTheSameTime) {
  auto first = OutputFile::Create(Path("a"));
  auto second = OutputFile::Create(Path("b"));
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE((*first)->Write("1").ok() && (*second)->Write("2").ok());
  ASSERT_TRUE((*first)->Commit().ok() && (*second)->Commit().ok());
  EXPECT_EQ(Content(Path("a")), "1");
  EXPECT_EQ(Content(Path("b")), "2");
}

TEST_F(OutputFileTest, ExistingTemporaryFilesAreLeftAlone) {
  for (int i = 0; i < 99; ++i) {
    std::ofstream(folder_ / Concat(".stagedoor-", static_cast<int64_t>(::getpid()), "-", i, ".tmp"))
        << "other";
  }
  Write(Path("a"), "x");
  EXPECT_EQ(Files(), 100u);
  std::ofstream(folder_ / Concat(".stagedoor-", static_cast<int64_t>(::getpid()), "-99.tmp"))
      << "other";
  EXPECT_FALSE(OutputFile::Create(Path("b")).ok()) << "it gives up after 100 names";
  EXPECT_EQ(Files(), 101u);
}

TEST_F(OutputFileTest, ErrorsStateWhyAFileCannotBeWritten) {
  const struct {
    std::string path;
    absl::StatusCode code;
    std::string why;
  } kCases[] = {
      {folder_.string(), absl::StatusCode::kFailedPrecondition, "Is a directory"},
      {Path("none/a"), absl::StatusCode::kFailedPrecondition, "No such file or directory"},
      {Path(std::string(300, 'x').c_str()), absl::StatusCode::kFailedPrecondition,
       "File name too long"},
  };
  for (const auto& c : kCases) {
    auto file = OutputFile::Create(c.path);
    const absl::Status status =
        file.ok() ? (*file)->Commit() : file.status();  // some file systems report it only then
    EXPECT_EQ(status.code(), c.code) << c.path;
    EXPECT_EQ(Message(status), Concat("cannot write ", Quoted(c.path), ": ", c.why));
  }
  EXPECT_EQ(Files(), 0u);
}

TEST_F(OutputFileTest, WritesDirectlyIntoAPipe) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  const int reader = ::open(Path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  Write(Path("pipe"), "text");
  char buffer[8] = {};
  EXPECT_EQ(::read(reader, buffer, sizeof(buffer)), 4);
  EXPECT_STREQ(buffer, "text");
  EXPECT_EQ(Files(), 1u);
  ::close(reader);
}

TEST_F(OutputFileTest, ADashIsStandardOutput) {
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  const int out = ::open(Path("stdout").c_str(), O_WRONLY | O_CREAT, 0600);
  ::dup2(out, STDOUT_FILENO);
  ::close(out);
  Write("-", "shown");
  const bool still_open = ::fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  EXPECT_EQ(Content(Path("stdout")), "shown");
  EXPECT_TRUE(still_open);
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(OutputFileTest, LargeFilesAreWrittenCompletely) {
  const std::string much(3 << 20, 'x');
  Write(Path("a"), much);
  EXPECT_EQ(Content(Path("a")), much);
}

TEST_F(OutputFileTest, FilesInADirectoryReplaceRegularFilesOnly) {
  const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  fs::create_directory(Path("folder"));
  const auto file = OutputFile::CreateAt(fd, "folder", "out/folder");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Message(file.status()),
            "refusing to write 'out/folder': it exists and is not a regular file");
  ::close(fd);
  const auto closed = OutputFile::CreateAt(-1, "a", "out/a");
  EXPECT_EQ(Message(closed.status()), "cannot write 'out/a': Bad file descriptor");
}

}  // namespace
}  // namespace stagedoor
