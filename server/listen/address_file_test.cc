#include "server/listen/address_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "base/status.h"
#include "base/testing/system_call_hook.h"

namespace stagedoor::server {
namespace {

namespace fs = std::filesystem;

std::string Content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class AddressFileTest : public ::testing::Test {
 protected:
  AddressFileTest() : folder_(::testing::TempDir() + "/address_file") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  const std::string folder_;
  const std::string path_ = folder_ + "/address";
};

TEST_F(AddressFileTest, ExistsWhileItsDaemonServes) {
  std::ofstream(path_) << "unix:/of/yesterday\n";
  AddressFile file(path_);
  ASSERT_TRUE(file.RemoveStale().ok());
  EXPECT_FALSE(fs::exists(path_)) << "no script should read an outdated address";
  ASSERT_TRUE(file.Write({"127.0.0.1:1", "unix:/x"}).ok());
  EXPECT_EQ(Content(path_), "127.0.0.1:1\nunix:/x\n");
  file.Remove();
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AddressFileTest, LeavesTheFileOfAnotherDaemon) {
  AddressFile mine(path_), theirs(path_);
  ASSERT_TRUE(mine.Write({"127.0.0.1:1"}).ok());
  ASSERT_TRUE(theirs.Write({"127.0.0.1:2"}).ok());
  mine.Remove();
  EXPECT_EQ(Content(path_), "127.0.0.1:2\n");
}

TEST_F(AddressFileTest, RemovingNothingStaleSucceeds) {
  EXPECT_TRUE(AddressFile(path_).RemoveStale().ok());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AddressFileTest, LeavesAFileThatItDidNotWrite) {
  std::ofstream(path_) << "of another\n";
  AddressFile file(path_);
  file.Remove();
  EXPECT_EQ(Content(path_), "of another\n");
  ASSERT_TRUE(file.Write({"127.0.0.1:1"}).ok());
  fs::remove(path_);
  file.Remove();
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AddressFileTest, FailuresToRemoveOrWriteNameTheFile) {
  std::ofstream(path_) << "a file";
  const std::string below = path_ + "/address";
  const std::string kernels = "/proc/version";  // a regular file that even root cannot remove
  for (const std::string& path : {below, kernels}) {
    const absl::Status status = AddressFile(path).RemoveStale();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << path;
    EXPECT_EQ(Message(status).substr(0, 33 + path.size()),
              "cannot write the address file '" + path + "':")
        << status;
  }
  EXPECT_EQ(AddressFile(below).Write({"x"}).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Content(path_), "a file");
}

TEST_F(AddressFileTest, SymbolicLinksAreNotFollowed) {
  std::ofstream(folder_ + "/target") << "precious";
  fs::create_symlink(folder_ + "/target", path_);
  EXPECT_EQ(AddressFile(path_).RemoveStale().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(fs::is_symlink(path_));
  // Other users who may write to the directory can guess the name of the temporary file.
  const std::string beside = path_ + "." + std::to_string(::getpid()) + ".tmp";
  fs::create_symlink(folder_ + "/target", beside);
  EXPECT_EQ(AddressFile(path_).Write({"x"}).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Content(folder_ + "/target"), "precious");
}

TEST_F(AddressFileTest, AFailedWriteLeavesNothing) {
  fs::create_directory(path_);
  AddressFile in_the_way(path_);
  EXPECT_EQ(in_the_way.Write({"x"}).code(), absl::StatusCode::kPermissionDenied);
  in_the_way.Remove();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "only the directory";
  fs::remove(path_);
  ASSERT_TRUE(AddressFile(path_).Write({"of yesterday"}).ok());

  // As on a disk with room for three more bytes.
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit few = before;
  few.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &few), 0);
  const absl::Status status = AddressFile(path_).Write({"127.0.0.1:1"});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Content(path_), "of yesterday\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(AddressFileTest, AFileThatCannotBeExaminedIsNotLeft) {
  const SystemCallHook broken("fstat", Fail(EIO));
  EXPECT_EQ(Message(AddressFile(path_).Write({"x"})),
            "cannot write the address file '" + path_ + "': Input/output error");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AddressFileTest, AStaleFileMayDisappearButNotStay) {
  std::ofstream(path_) << "unix:/of/yesterday\n";
  {
    const SystemCallHook read_only("unlink", Fail(EROFS));
    EXPECT_EQ(AddressFile(path_).RemoveStale().code(), absl::StatusCode::kPermissionDenied);
  }
  const SystemCallHook gone("unlink", [&] {
    fs::remove(path_);
    return 0;
  });
  EXPECT_TRUE(AddressFile(path_).RemoveStale().ok());
}

TEST_F(AddressFileTest, LeavesEverythingButRegularFiles) {
  fs::create_directory(path_);
  EXPECT_FALSE(AddressFile(path_).RemoveStale().ok());
  EXPECT_TRUE(fs::is_directory(path_));
  EXPECT_FALSE(AddressFile(folder_ + "/nowhere/address").Write({"x"}).ok());
}

}  // namespace
}  // namespace stagedoor::server
