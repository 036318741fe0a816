#include "resolver/store/disk_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "base/unique_fd.h"

namespace stagedoor {
namespace {

using Code = absl::StatusCode;

TEST(DiskIoTest, ErrorsSayWhetherToRetryAndWhy) {
  const std::pair<int, Code> kCases[] = {
      {ENOSPC, Code::kResourceExhausted}, {EDQUOT, Code::kResourceExhausted},
      {EMFILE, Code::kResourceExhausted}, {ENFILE, Code::kResourceExhausted},
      {ENOMEM, Code::kResourceExhausted}, {ENOENT, Code::kNotFound},
      {EACCES, Code::kPermissionDenied},  {EPERM, Code::kPermissionDenied},
      {EROFS, Code::kPermissionDenied},   {EIO, Code::kUnavailable},
  };
  for (const auto& [error, code] : kCases) {
    const absl::Status status = DiskError(error, "x");
    EXPECT_EQ(status.code(), code) << error;
    EXPECT_EQ(IsDiskFull(status), error == ENOSPC || error == EDQUOT) << error;
  }
  EXPECT_FALSE(IsDiskFull(absl::OkStatus()));
  EXPECT_EQ(Message(DiskError(EIO, "write 'a'")), "cannot write 'a': Input/output error");
  EXPECT_EQ(Message(DiskError(ENOSPC, "write 'a'")),
            "cannot write 'a': No space left on device; free space in the directory of "
            "--cache-dir, or choose another");
}

TEST(DiskIoTest, FullDisksAreResourceExhausted) {
  const UniqueFd full(open("/dev/full", O_WRONLY));
  ASSERT_GE(full.get(), 0);
  const std::string text = "x";
  const absl::Status status = WriteAt(full.get(), 0, std::as_bytes(std::span(text)));
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
}

TEST(DiskIoTest, ReadsEndAtTheEndOfTheFile) {
  const TempDir folder;
  folder.Write("a", "content");
  const UniqueFd fd(open((folder / "a").c_str(), O_RDONLY));
  std::string read(20, '?');
  const auto count = ReadAt(fd.get(), 3, std::as_writable_bytes(std::span(read)));
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(read.substr(0, *count), "tent");
  const UniqueFd directory(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY));
  EXPECT_EQ(ReadAt(directory.get(), 0, std::as_writable_bytes(std::span(read))).status().code(),
            Code::kUnavailable);
}

TEST(DiskIoTest, InterruptedCallsGoOn) {
  const TempDir folder;
  folder.Write("a", "content");
  const UniqueFd fd(open((folder / "a").c_str(), O_RDWR));
  const SystemCallHook write("pwrite", Fail(EINTR, 2)), read("pread", Fail(EINTR, 2));
  const std::string text = "CON";
  ASSERT_TRUE(WriteAt(fd.get(), 0, std::as_bytes(std::span(text))).ok());
  std::string content(7, '?');
  EXPECT_EQ(ReadAt(fd.get(), 0, std::as_writable_bytes(std::span(content))).value(), 7u);
  EXPECT_EQ(content, "CONtent");
}

TEST(DiskIoTest, FailedCallsNameTheFileAndLeaveNothing) {
  const TempDir folder;
  folder.Write("a", "12345");
  {
    const SystemCallHook broken("fstat", Fail(EIO));
    EXPECT_EQ(Message(ReadSmallFile(folder / "a", 5).status()),
              "cannot open '" + (folder / "a") + "': Input/output error");
  }
  {
    const SystemCallHook broken("pread", Fail(EIO));
    EXPECT_EQ(Message(ReadSmallFile(folder / "a", 5).status()),
              "cannot read the cache: Input/output error");
  }
  const SystemCallHook full("pwrite", Fail(ENOSPC));
  EXPECT_TRUE(IsDiskFull(ReplaceFile(folder / "a", "other")));
  EXPECT_EQ(ReadSmallFile(folder / "a", 5).value(), "12345");
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "a temporary file is left";
}

TEST(DiskIoTest, SmallFilesHaveAMaximumSize) {
  const TempDir folder;
  folder.Write("a", "12345");
  EXPECT_EQ(ReadSmallFile(folder / "a", 5).value(), "12345");
  const absl::Status large = ReadSmallFile(folder / "a", 4).status();
  EXPECT_EQ(large.code(), Code::kResourceExhausted);
  EXPECT_NE(Message(large).find("more than 4 bytes"), std::string_view::npos) << large;
  EXPECT_EQ(ReadSmallFile(folder / "b", 4).status().code(), Code::kNotFound);
}

TEST(DiskIoTest, FilesAreReplacedWholeOrNotAtAll) {
  const TempDir folder;
  ASSERT_TRUE(ReplaceFile(folder / "a", "one").ok());
  ASSERT_TRUE(ReplaceFile(folder / "a", "two").ok());
  EXPECT_EQ(ReadSmallFile(folder / "a", 10).value(), "two");

  std::filesystem::create_directory(folder / "taken");
  const absl::Status taken = ReplaceFile(folder / "taken", "x");
  EXPECT_NE(Message(taken).find("cannot replace"), std::string_view::npos) << taken;
  EXPECT_EQ(ReplaceFile(folder / "none/a", "x").code(), Code::kNotFound);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "a temporary file is left";
}

}  // namespace
}  // namespace stagedoor
