#include "resolver/file/file_version.h"

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

struct stat SomeFile() {
  struct stat info = {};
  info.st_dev = 1;
  info.st_ino = 2;
  info.st_mtim = {3, 4};
  info.st_ctim = {5, 6};
  info.st_size = 7;
  return info;
}

TEST(FileVersionTest, SizeAndTimesDistinguishVersions) {
  const struct {
    const char* what;
    std::function<void(struct stat&)> change;
    bool times;
    bool content;
  } kChanges[] = {
      {"device", [](auto& s) { ++s.st_dev; }, false, false},
      {"inode", [](auto& s) { ++s.st_ino; }, false, false},
      {"size", [](auto& s) { ++s.st_size; }, true, true},
      {"modified", [](auto& s) { ++s.st_mtim.tv_sec; }, true, true},
      {"modified a little later", [](auto& s) { ++s.st_mtim.tv_nsec; }, true, true},
      {"changed", [](auto& s) { ++s.st_ctim.tv_sec; }, true, false},
      {"changed a little later", [](auto& s) { ++s.st_ctim.tv_nsec; }, true, false},
  };
  const struct stat file = SomeFile();
  EXPECT_TRUE(SameTimes(file, file));
  EXPECT_FALSE(ContentMayDiffer(file, file));
  for (const auto& c : kChanges) {
    struct stat other = file;
    c.change(other);
    EXPECT_EQ(!SameTimes(file, other), c.times) << c.what;
    EXPECT_EQ(ContentMayDiffer(file, other), c.content) << c.what;
  }
  struct stat read = file;
  read.st_atim.tv_sec = 100;
  read.st_nlink = 3;
  read.st_mode = 0600;
  EXPECT_TRUE(SameTimes(file, read)) << "none of these is content";
}

TEST(FileVersionTest, ATimeOfWholeSecondsSettlesAfterSeconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  struct stat file = SomeFile();
  EXPECT_TRUE(IsSettled(file));
  file.st_ctim = now;
  EXPECT_FALSE(IsSettled(file)) << "the clock still shows the time of the change";
  file.st_ctim = {now.tv_sec - 1, 1};
  EXPECT_TRUE(IsSettled(file));
  file.st_ctim = {now.tv_sec - 1, 0};
  EXPECT_FALSE(IsSettled(file)) << "another write may have the same time";
  file.st_ctim = {now.tv_sec - 5, 0};
  EXPECT_TRUE(IsSettled(file));
}

TEST(FileVersionTest, AnInvalidDescriptorIsNotAtRest) {
  struct stat info;
  EXPECT_FALSE(StatWhenStable(-1, &info));
}

// The modification time of its file is always the current time.
TEST(FileVersionTest, DoesNotWaitForAWriterThatNeverPauses) {
  std::string name = testing::TempDir() + "/versionXXXXXX";
  const int fd = mkstemp(name.data());
  unlink(name.c_str());
  std::atomic<bool> read = false;
  std::atomic<int> writes = 0;
  std::thread writer([&] {
    while (!read) {
      EXPECT_EQ(pwrite(fd, "x", 1, writes % 100), 1);
      ++writes;
    }
  });
  while (writes == 0) std::this_thread::yield();
  struct stat info = {};
  EXPECT_TRUE(StatWhenStable(fd, &info));
  EXPECT_GE(info.st_size, 1);
  read = true;
  writer.join();
  close(fd);
}

}  // namespace
}  // namespace stagedoor
