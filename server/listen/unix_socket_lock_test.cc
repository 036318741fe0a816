#include "server/listen/unix_socket_lock.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

namespace fs = std::filesystem;

class UnixSocketLockTest : public ::testing::Test {
 protected:
  sockaddr_un Address() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path_.c_str());
    return address;
  }

  // A server at path_ that does not use our locks. Closing it leaves the socket behind.
  int Listen(int backlog = 5) const {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = Address();
    EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(fd, backlog), 0);
    return fd;
  }

  const TempDir folder_{"/tmp"};
  const std::string path_ = folder_ / "s";
};

TEST_F(UnixSocketLockTest, OnlyOneServerHoldsIt) {
  auto first = UnixSocketLock::Acquire(path_);
  ASSERT_TRUE(first.ok()) << first.status();
  const int fd = Listen();
  const auto second = UnixSocketLock::Acquire(path_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(Message(second.status())).find(path_), std::string::npos);
  EXPECT_TRUE(fs::exists(path_)) << "the first one still listens there";
  ::close(fd);
  first->reset();
  EXPECT_TRUE(fs::is_empty(folder_.path())) << "socket and lock are removed";
  EXPECT_TRUE(UnixSocketLock::Acquire(path_).ok());
}

TEST_F(UnixSocketLockTest, KeepsTheSocketOfAServerWithoutALock) {
  const int fd = Listen();
  EXPECT_EQ(UnixSocketLock::Acquire(path_).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
  ::close(fd);
}

TEST_F(UnixSocketLockTest, AServerWithAFullBacklogIsDetected) {
  const int server = Listen(0);
  const sockaddr_un address = Address();
  std::vector<int> waiting;
  do {
    waiting.push_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    ASSERT_LT(waiting.size(), 10u) << "the backlog is never full";
  } while (
      ::connect(waiting.back(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  ASSERT_EQ(errno, EAGAIN);
  const absl::Status status = UnixSocketLock::Acquire(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Message(status), "another process is listening on unix:" + path_ +
                                 " (it accepts connections); stop it or choose another --address");
  EXPECT_TRUE(fs::exists(path_));
  for (const int fd : waiting) ::close(fd);
  ::close(server);
}

TEST_F(UnixSocketLockTest, KeepsASocketOfAnotherKind) {
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = Address();
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  const absl::Status status = UnixSocketLock::Acquire(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Message(status), "cannot determine whether another process listens on unix:" + path_ +
                                 ": " + std::strerror(EPROTOTYPE));
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
  ::close(fd);
}

// A lock file may have been removed by the time it is locked.
TEST_F(UnixSocketLockTest, OnlyOneThreadHoldsItAtATime) {
  std::atomic<int> holders = 0, claims = 0, too_many = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const auto claim = UnixSocketLock::Acquire(path_);
        if (!claim.ok()) {
          EXPECT_EQ(claim.status().code(), absl::StatusCode::kUnavailable) << claim.status();
          continue;
        }
        ++claims;
        if (++holders != 1) ++too_many;
        for (int turn = 0; turn < 20; ++turn) std::this_thread::yield();
        --holders;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(too_many, 0);
  EXPECT_GE(claims, 1);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

// As in /tmp, where the daemon of another user has left its socket.
TEST_F(UnixSocketLockTest, ASocketThatCannotBeRemovedIsAnError) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  ::close(Listen());
  fs::permissions(path_, fs::perms::all);
  fs::permissions(folder_.path(), fs::perms::all | fs::perms::sticky_bit);
  const auto run = [&] {
    if (::setuid(65534) != 0) exit(1);
    const absl::Status status = UnixSocketLock::Acquire(path_).status();
    exit(status.code() == absl::StatusCode::kPermissionDenied &&
                 Message(status) == Concat("cannot remove the stale socket '", path_,
                                           "': ", std::strerror(EPERM)) &&
                 !fs::exists(path_ + ".lock")
             ? 7
             : 2);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(7), "");
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(UnixSocketLockTest, ErrorsNameTheLock) {
  const auto first = UnixSocketLock::Acquire(path_);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(Message(UnixSocketLock::Acquire(path_).status()),
            "another process is listening on unix:" + path_ + " (it holds " + path_ +
                ".lock); stop it or choose another --address");
  EXPECT_TRUE(fs::exists(path_ + ".lock")) << "the lock of the first one";
  EXPECT_EQ(fs::status(path_ + ".lock").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(UnixSocketLockTest, RemovesOnlyASocketAndItsLock) {
  std::ofstream(path_) << "precious";
  std::ofstream(path_ + ".lock") << "";
  UnixSocketLock::RemoveFiles(path_);
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
  fs::remove(path_);
  ::close(Listen());
  UnixSocketLock::RemoveFiles(path_);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(UnixSocketLockTest, RemovesAStaleSocket) {
  ::close(Listen());
  ASSERT_TRUE(fs::exists(path_));
  const auto claim = UnixSocketLock::Acquire(path_);
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_FALSE(fs::exists(path_));
}

// As after a kill -9: the file exists, but no process holds its lock.
TEST_F(UnixSocketLockTest, AStaleLockFileDoesNotMatter) {
  std::ofstream(path_ + ".lock") << "";
  EXPECT_TRUE(UnixSocketLock::Acquire(path_).ok());
}

// As when the previous holder removes it between our opening and our locking it.
TEST_F(UnixSocketLockTest, ALockFileThatWasRemovedMeanwhileIsCreatedAgain) {
  const std::string lock = path_ + ".lock";
  int locked = 0;
  const SystemCallHook removed("flock", [&] {
    ++locked;
    if (locked == 1) fs::remove(lock);
    if (locked == 2) fs::rename(lock, lock + ".other"), std::ofstream(lock) << "";
    return 0;
  });
  const auto claim = UnixSocketLock::Acquire(path_);
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_EQ(locked, 3);
  EXPECT_EQ(UnixSocketLock::Acquire(path_).status().code(), absl::StatusCode::kUnavailable)
      << "it holds the lock of the file that has the name";
}

TEST_F(UnixSocketLockTest, FailuresNameThePath) {
  ::close(Listen());
  const struct {
    const char* call;
    SystemCallHook::Function fail;
    absl::StatusCode code;
    std::string message;
  } kCases[] = {
      {"flock", Fail(ENOLCK), absl::StatusCode::kUnavailable,
       "cannot lock '" + path_ + ".lock': No locks available"},
      // The first call is for the lock.
      {"lstat", Fail(EACCES, 1, 1), absl::StatusCode::kUnavailable,
       "cannot access '" + path_ + "': Permission denied"},
      {"socket", Fail(EMFILE), absl::StatusCode::kUnavailable,
       "cannot create a socket: Too many open files"},
      {"unlink", Fail(EROFS, 1), absl::StatusCode::kPermissionDenied,
       "cannot remove the stale socket '" + path_ + "': Read-only file system"},
  };
  for (const auto& c : kCases) {
    const SystemCallHook hook(c.call, c.fail);
    const absl::Status status = UnixSocketLock::Acquire(path_).status();
    EXPECT_EQ(status.code(), c.code) << c.call;
    EXPECT_EQ(Message(status), c.message);
  }
  {
    const SystemCallHook gone("unlink", Fail(ENOENT, 1));
    EXPECT_TRUE(UnixSocketLock::Acquire(path_).ok()) << "somebody else has removed it";
  }
}

TEST_F(UnixSocketLockTest, NeverRemovesOtherFiles) {
  std::ofstream(path_) << "precious";
  EXPECT_EQ(UnixSocketLock::Acquire(path_).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(fs::exists(path_));
  const std::string target = folder_ / "target";
  std::ofstream(target) << "precious";
  fs::create_symlink(target, folder_ / "link.lock");
  EXPECT_FALSE(UnixSocketLock::Acquire(folder_ / "link").ok()) << "a lock file that is a link";
  EXPECT_FALSE(UnixSocketLock::Acquire("/nowhere/s").ok());
}

}  // namespace
}  // namespace stagedoor::server
