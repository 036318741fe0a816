#include "server/listen/unix_socket_claim.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/status.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

class UnixSocketClaimTest : public ::testing::Test {
 protected:
  UnixSocketClaimTest() {
    std::string folder = "/tmp/claim-XXXXXX";  // short: a socket's path has 107 bytes
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder + "/s";
  }
  ~UnixSocketClaimTest() override { fs::remove_all(folder_); }

  // A server at path_ that knows nothing of our locks; closing it leaves the socket behind.
  int Listen(int backlog = 5) const {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path_.c_str());
    EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(fd, backlog), 0);
    return fd;
  }

  std::string folder_, path_;
};

TEST_F(UnixSocketClaimTest, OnlyOneHasIt) {
  auto first = UnixSocketClaim::Take(path_);
  ASSERT_TRUE(first.ok()) << first.status();
  const int fd = Listen();
  const auto second = UnixSocketClaim::Take(path_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(Message(second.status())).find(path_), std::string::npos);
  EXPECT_TRUE(fs::exists(path_)) << "the first one still listens there";
  ::close(fd);
  first->reset();
  EXPECT_TRUE(fs::is_empty(folder_)) << "socket and lock are removed";
  EXPECT_TRUE(UnixSocketClaim::Take(path_).ok());
}

TEST_F(UnixSocketClaimTest, LeavesTheSocketOfAServerThatHoldsNoLock) {
  const int fd = Listen();
  EXPECT_EQ(UnixSocketClaim::Take(path_).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
  ::close(fd);
}

TEST_F(UnixSocketClaimTest, RemovesTheSocketOfAServerThatIsGone) {
  ::close(Listen());
  ASSERT_TRUE(fs::exists(path_));
  const auto claim = UnixSocketClaim::Take(path_);
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_FALSE(fs::exists(path_));
}

// As after a kill -9: the file is there and nobody holds its lock.
TEST_F(UnixSocketClaimTest, AnOldLockFileIsNoObstacle) {
  std::ofstream(path_ + ".lock") << "";
  EXPECT_TRUE(UnixSocketClaim::Take(path_).ok());
}

TEST_F(UnixSocketClaimTest, NeverRemovesWhatIsNoSocket) {
  std::ofstream(path_) << "precious";
  EXPECT_EQ(UnixSocketClaim::Take(path_).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(fs::exists(path_));
  const std::string target = folder_ + "/target";
  std::ofstream(target) << "precious";
  fs::create_symlink(target, folder_ + "/link.lock");
  EXPECT_FALSE(UnixSocketClaim::Take(folder_ + "/link").ok()) << "a lock file that is a link";
  EXPECT_FALSE(UnixSocketClaim::Take("/nowhere/s").ok());
}

}  // namespace
}  // namespace stagedoor
