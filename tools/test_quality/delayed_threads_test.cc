// With delayed_threads, some threads are slow, and others are not. This program starts itself again
// with the library.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/mutex.h"

namespace stagedoor {
namespace {

constexpr int kThreads = 40;
constexpr int kCalls = 20;

// How often a new thread sleeps in `kCalls` calls of `work`, which never waits by itself.
long CountSleeps(const std::function<void()>& work) {
  rusage before{}, after{};
  std::thread([&] {
    getrusage(RUSAGE_THREAD, &before);
    for (int i = 0; i < kCalls; ++i) work();
    getrusage(RUSAGE_THREAD, &after);
  }).join();
  return after.ru_nvcsw - before.ru_nvcsw;
}

void ExpectThatSomeThreadsAreSlow(int sleeps_per_call, const std::function<void()>& work) {
  int slow = 0, fast = 0;
  for (int i = 0; i < kThreads; ++i) {
    const long sleeps = CountSleeps(work);
    slow += sleeps >= kCalls * sleeps_per_call;
    fast += sleeps == 0;
  }
  EXPECT_GT(slow, 0);
  EXPECT_GT(fast, 0);
}

TEST(DelayedThreads, SleepAtMutexes) {
  Mutex mu;
  ExpectThatSomeThreadsAreSlow(2, [&] { const MutexLock lock(mu); });
}

TEST(DelayedThreads, SleepAtSockets) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  char byte = 'x';
  iovec bytes{.iov_base = &byte, .iov_len = 1};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  ExpectThatSomeThreadsAreSlow(8, [&] {
    EXPECT_EQ(send(ends[0], &byte, 1, 0), 1);
    EXPECT_EQ(recvmsg(ends[1], &message, 0), 1);
    EXPECT_EQ(sendmsg(ends[0], &message, 0), 1);
    EXPECT_EQ(recvmsg(ends[1], &message, 0), 1);
  });
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (std::getenv("LD_PRELOAD") == nullptr) {
    auto library = std::filesystem::path(argv[0]).replace_filename("libdelayed_threads.so");
    setenv("LD_PRELOAD", library.c_str(), 1);
    execv(argv[0], argv);
    return 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
