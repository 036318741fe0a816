#include "base/testing/system_call_hook.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <vector>

namespace stagedoor {
namespace {

// The error of a call of lstat on a file that exists, or 0.
int ErrorOfLstat() {
  struct stat info;
  return ::lstat("/", &info) == 0 ? 0 : errno;
}

TEST(SystemCallHookTest, CallsFailAsLongAsTheHookLives) {
  EXPECT_EQ(ErrorOfLstat(), 0);
  {
    const SystemCallHook hook("lstat", Fail(EIO));
    EXPECT_EQ(ErrorOfLstat(), EIO);
    EXPECT_EQ(ErrorOfLstat(), EIO);
    struct stat info;
    EXPECT_EQ(::stat("/", &info), 0) << "another call";
  }
  EXPECT_EQ(ErrorOfLstat(), 0);
}

TEST(SystemCallHookTest, FailsACertainNumberOfCalls) {
  const SystemCallHook hook("lstat", Fail(EIO, /*times=*/2, /*successes=*/1));
  std::vector<int> errors;
  for (int i = 0; i < 5; ++i) errors.push_back(ErrorOfLstat());
  EXPECT_EQ(errors, (std::vector<int>{0, EIO, EIO, 0, 0}));
}

TEST(SystemCallHookTest, ConcernsOneFileByPathOrDescriptor) {
  const int root = ::open("/", O_RDONLY);
  const int null = ::open("/dev/null", O_RDONLY);
  struct stat info;
  const SystemCallHook paths("stat", "/dev/null", Fail(EIO));
  EXPECT_EQ(::stat("/dev/null", &info), -1);
  EXPECT_EQ(::stat("/", &info), 0);
  const SystemCallHook descriptors("fstat", "/dev/null", Fail(EIO));
  EXPECT_EQ(::fstat(null, &info), -1);
  EXPECT_EQ(::fstat(root, &info), 0);
  const SystemCallHook mappings("mmap", "/dev/null", Fail(ENFILE));
  EXPECT_EQ(::mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, null, 0), MAP_FAILED);
  EXPECT_EQ(errno, ENFILE);
  ::close(root);
  ::close(null);
}

TEST(SystemCallHookTest, RunsInTheThreadOfTheCallAndNotForItsOwnCalls) {
  std::vector<std::thread::id> threads;
  const SystemCallHook hook("lstat", [&] {
    threads.push_back(std::this_thread::get_id());
    return ErrorOfLstat();
  });
  EXPECT_EQ(ErrorOfLstat(), 0);
  std::thread other([&] { EXPECT_EQ(ErrorOfLstat(), 0); });
  const std::thread::id id = other.get_id();
  other.join();
  EXPECT_EQ(threads, (std::vector{std::this_thread::get_id(), id}));
}

}  // namespace
}  // namespace stagedoor
