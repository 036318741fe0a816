#include "resolver/file/file_change_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <semaphore>

#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "resolver/testing/change_recorder.h"

namespace stagedoor {
namespace {

class FileChangeSourceTest : public testing::Test {
 protected:
  void Start(FileChangeOptions options = {}) {
    source_ = std::make_unique<FileChangeSource>(options);
    source_->Start(changes_.callback());
  }
  // The number of assets that were refused.
  size_t Watch(const std::string& name) {
    if (source_ == nullptr) Start();
    return source_->Watch(std::vector<WatchedAsset>{{.path = dir_ / name, .version = ""}}).size();
  }
  // Waits until the change that was made is reported. What else was reported for it, maybe later,
  // is flushed by a change of another file.
  bool Noticed(const std::string& name) {
    const bool noticed = changes_.WaitFor(dir_ / name);
    Flush();
    return noticed;
  }
  // Returns once all events so far are reported, and forgets them.
  std::set<std::string> Flush() {
    const std::string name = "flush/" + std::to_string(++flushes_);
    std::filesystem::create_directories(dir_ / "flush");
    EXPECT_EQ(Watch(name), 0u);
    std::ofstream(dir_ / name) << "x";
    EXPECT_TRUE(changes_.WaitFor(dir_ / name));
    source_->Unwatch(std::vector<std::string>{dir_ / name});
    std::set<std::string> others = changes_.Take();
    others.erase(dir_ / name);
    return others;
  }
  void WriteInPlace(const std::string& name) { std::ofstream(dir_ / name) << ++flushes_; }
  // How many directories are on the way to files in the root of the test, which is the last.
  int Depth() const {
    const std::string root = dir_.path();
    return static_cast<int>(std::count(root.begin(), root.end(), '/')) + 1;
  }

  TempDir dir_;
  ChangeRecorder changes_;
  std::unique_ptr<FileChangeSource> source_;
  int flushes_ = 0;
};

TEST_F(FileChangeSourceTest, ReportsEveryWayToChangeAFile) {
  dir_.Write("a.usda", "1");
  ASSERT_EQ(Watch("a.usda"), 0u);
  WriteInPlace("a.usda");
  EXPECT_TRUE(Noticed("a.usda")) << "write in place";
  dir_.Write("a.usda", "2");
  EXPECT_TRUE(Noticed("a.usda")) << "rename over it";
  WriteInPlace("a.usda");
  EXPECT_TRUE(Noticed("a.usda")) << "write to the file that took its place";
  std::filesystem::remove(dir_ / "a.usda");
  EXPECT_TRUE(Noticed("a.usda")) << "delete";
  WriteInPlace("a.usda");
  EXPECT_TRUE(Noticed("a.usda")) << "create";
  ASSERT_EQ(truncate((dir_ / "a.usda").c_str(), 0), 0);
  EXPECT_TRUE(Noticed("a.usda")) << "truncate";
  const struct timespec times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (dir_ / "a.usda").c_str(), times, 0), 0);
  EXPECT_TRUE(Noticed("a.usda")) << "another modification time";
}

TEST_F(FileChangeSourceTest, ReportsNothingElse) {
  dir_.Write("a.usda", "1");
  dir_.Write("b.usda", "1");
  dir_.Write("c.usda", "1");
  ASSERT_EQ(Watch("a.usda"), 0u);
  ASSERT_EQ(Watch("c.usda"), 0u);
  dir_.Write("b.usda", "2");
  std::ifstream(dir_ / "a.usda").get();
  source_->Unwatch(std::vector<std::string>{dir_ / "c.usda", dir_ / "unknown.usda"});
  dir_.Write("c.usda", "2");
  EXPECT_TRUE(Flush().empty());
}

TEST_F(FileChangeSourceTest, AFileIsWatchedUntilItWasUnwatchedAsOften) {
  dir_.Write("a.usda", "1");
  ASSERT_EQ(Watch("a.usda"), 0u);
  ASSERT_EQ(Watch("a.usda"), 0u);
  EXPECT_EQ(source_->GetStats().watched, 1u);
  source_->Unwatch(std::vector<std::string>{dir_ / "a.usda"});
  dir_.Write("a.usda", "2");
  EXPECT_TRUE(Noticed("a.usda"));
  source_->Unwatch(std::vector<std::string>{dir_ / "a.usda"});
  EXPECT_EQ(source_->GetStats().watched, 0u);
}

TEST_F(FileChangeSourceTest, NoticesMissingFilesAndDirectoriesThatAppear) {
  ASSERT_EQ(Watch("new/sub/a.usda"), 0u);
  std::filesystem::create_directory(dir_ / "new");
  EXPECT_TRUE(Noticed("new/sub/a.usda"));
  std::filesystem::create_directory(dir_ / "new/sub");
  EXPECT_TRUE(Noticed("new/sub/a.usda"));
  WriteInPlace("new/sub/a.usda");
  EXPECT_TRUE(Noticed("new/sub/a.usda"));
  std::filesystem::remove_all(dir_ / "new");
  EXPECT_TRUE(Noticed("new/sub/a.usda"));
  // All at once, so that the directory is only seen with the file in it.
  dir_.Write("other/sub/a.usda", "2");
  std::filesystem::rename(dir_ / "other", dir_ / "new");
  EXPECT_TRUE(Noticed("new/sub/a.usda"));
  WriteInPlace("new/sub/a.usda");
  EXPECT_TRUE(Noticed("new/sub/a.usda"));
}

TEST_F(FileChangeSourceTest, FollowsLinksAndTheirReplacement) {
  dir_.Write("v1/a.usda", "1");
  dir_.Write("v2/a.usda", "2");
  std::filesystem::create_directory_symlink("v1", dir_ / "latest");
  std::filesystem::create_symlink(dir_ / "v1/a.usda", dir_ / "link.usda");
  ASSERT_EQ(Watch("latest/a.usda"), 0u);
  ASSERT_EQ(Watch("link.usda"), 0u);
  WriteInPlace("v1/a.usda");
  EXPECT_TRUE(changes_.WaitFor(dir_ / "latest/a.usda"));
  EXPECT_TRUE(Noticed("link.usda"));
  std::filesystem::create_directory_symlink("v2", dir_ / "next");
  std::filesystem::rename(dir_ / "next", dir_ / "latest");
  EXPECT_TRUE(Noticed("latest/a.usda")) << "the link leads elsewhere";
  WriteInPlace("v2/a.usda");
  EXPECT_TRUE(Noticed("latest/a.usda")) << "and is followed there";
  std::filesystem::create_symlink("loop.usda", dir_ / "loop.usda");
  EXPECT_EQ(Watch("loop.usda"), 0u) << "a loop is a missing file";
}

TEST_F(FileChangeSourceTest, FollowsLinksThroughDotsAndWatchesDirectories) {
  dir_.Write("v1/a.usda", "1");
  dir_.Write("v2/a.usda", "2");
  std::filesystem::create_symlink("./v1/.././v2/a.usda", dir_ / "a.usda");
  ASSERT_EQ(Watch("a.usda"), 0u);
  WriteInPlace("v1/a.usda");
  EXPECT_TRUE(Flush().empty());
  WriteInPlace("v2/a.usda");
  EXPECT_TRUE(Noticed("a.usda"));
  ASSERT_EQ(Watch("v1"), 0u);
  std::filesystem::rename(dir_ / "v1", dir_ / "v3");
  EXPECT_TRUE(Noticed("v1"));
}

TEST_F(FileChangeSourceTest, RefusesFilesThatOtherMachinesMayChange) {
  dir_.Write("a.usda", "1");
  for (const long type :
       {0x00006969L, 0x0000517BL, 0xFF534D42L, 0xFE534D42L, 0x5346414FL, 0x6B414653L, 0x73757245L,
        0x01021997L, 0x65735546L, 0x00C36400L, 0x0BD00BD0L, 0x47504653L, 0x01161970L, 0x7461636FL,
        0x19830326L, 0xAAD7AAEAL, 0xBEEFDEADL, 0xBACBACBCL, 0x786F4256L}) {
    const FileSystemTypeOverride remote(type);
    EXPECT_EQ(Watch("a.usda"), 1u) << std::hex << type;
  }
  EXPECT_TRUE(source_->TakeProblems().empty()) << "that is as it should be";
  const FileSystemTypeOverride local(EXT4_SUPER_MAGIC);
  EXPECT_EQ(Watch("a.usda"), 0u);
}

TEST_F(FileChangeSourceTest, SaysOnceThatTheKernelHasNoWatchLeft) {
  dir_.Write("a.usda", "1");
  Start();
  for (const int error : {ENOSPC, ENOMEM}) {
    const SystemCallHook full("inotify_add_watch", Fail(error));
    EXPECT_EQ(Watch("a.usda"), 1u);
  }
  EXPECT_EQ(source_->TakeProblems(),
            (std::vector<std::string>{
                "changes of some files are noticed by polling, because the kernel allows no more "
                "watches; raise fs.inotify.max_user_watches"}));
  {
    const SystemCallHook broken("inotify_add_watch", Fail(EIO));
    EXPECT_EQ(Watch("a.usda"), 1u);
  }
  EXPECT_TRUE(source_->TakeProblems().empty());
  EXPECT_EQ(Watch("a.usda"), 0u);
}

TEST_F(FileChangeSourceTest, PassesDirectoriesThatMustNotBeListedUnlessTheyHoldTheFile) {
  dir_.Write("a.usda", "1");
  {
    const SystemCallHook denied("inotify_add_watch", Fail(EACCES, 1, Depth() - 1));
    EXPECT_EQ(Watch("a.usda"), 1u);
  }
  {
    const SystemCallHook denied("inotify_add_watch", Fail(EACCES, 1, Depth() - 2));
    EXPECT_EQ(Watch("a.usda"), 0u);
  }
  WriteInPlace("a.usda");
  EXPECT_TRUE(Noticed("a.usda"));
}

TEST_F(FileChangeSourceTest, NoticesADirectoryThatWasRemovedWhileItWasLookedAt) {
  dir_.Write("sub/a.usda", "1");
  std::atomic<int> watches{0};  // also those of the thread that notices the removal
  {
    const SystemCallHook removed("inotify_add_watch", [&] {
      if (++watches == Depth() + 1) std::filesystem::remove_all(dir_ / "sub");
      return 0;
    });
    ASSERT_EQ(Watch("sub/a.usda"), 0u);
  }
  EXPECT_GT(watches, Depth());
  std::filesystem::create_directory(dir_ / "sub");
  EXPECT_TRUE(Noticed("sub/a.usda"));
  WriteInPlace("sub/a.usda");
  EXPECT_TRUE(Noticed("sub/a.usda"));
}

TEST_F(FileChangeSourceTest, ASignalDoesNotEndTheReports) {
  dir_.Write("a.usda", "1");
  const SystemCallHook interrupted("poll", Fail(EINTR, 2));
  Start();
  ASSERT_EQ(Watch("a.usda"), 0u);
  WriteInPlace("a.usda");
  EXPECT_TRUE(Noticed("a.usda"));
  source_.reset();
}

TEST_F(FileChangeSourceTest, RefusesWhatItCannotWatch) {
  Start({.max_directories = 1});
  dir_.Write("a.usda", "1");
  EXPECT_EQ(Watch("a.usda"), 1u) << "its directory and those above it exceed the limit";
  EXPECT_EQ(source_->GetStats().watched, 0u);
  const auto problems = source_->TakeProblems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("polling"), std::string::npos) << problems[0];
  EXPECT_TRUE(source_->TakeProblems().empty());
  const std::vector<WatchedAsset> others = {
      {"https://h/a.usd", "1"}, {"", ""}, {"relative.usd", ""}, {std::string("/a\0b", 4), ""}};
  EXPECT_EQ(source_->Watch(others), others);
}

TEST_F(FileChangeSourceTest, RefusesEverythingWithoutInotify) {
  struct rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const struct rlimit none = {0, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  source_ = std::make_unique<FileChangeSource>();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  source_->Start(changes_.callback());
  EXPECT_EQ(Watch("a.usda"), 1u);
  EXPECT_EQ(source_->TakeProblems().size(), 1u);
}

TEST_F(FileChangeSourceTest, AfterAnOverflowEverythingMayHaveChanged) {
  std::ifstream limit("/proc/sys/fs/inotify/max_queued_events");
  int most = 0;
  limit >> most;
  if (most <= 0 || most > 100000) GTEST_SKIP() << "the queue is too long to overflow: " << most;
  dir_.Write("a.usda", "1");
  dir_.Write("b.usda", "1");
  source_ = std::make_unique<FileChangeSource>();
  std::binary_semaphore blocked{0}, release{0};
  bool first = true;
  const ChangeSource::Callback record = changes_.callback();
  source_->Start([&](const AssetChanges& changes) {
    if (std::exchange(first, false)) {
      blocked.release();
      release.acquire();
    }
    record(changes);
  });
  ASSERT_EQ(Watch("a.usda"), 0u);
  ASSERT_EQ(Watch("b.usda"), 0u);
  WriteInPlace("a.usda");
  blocked.acquire();
  // Equal events one after another count once, hence two files.
  const int a = open((dir_ / "a.usda").c_str(), O_WRONLY);
  const int b = open((dir_ / "b.usda").c_str(), O_WRONLY);
  for (int i = 0; i < most; ++i) {
    ASSERT_EQ(write(a, "x", 1), 1);
    ASSERT_EQ(write(b, "x", 1), 1);
  }
  close(a);
  close(b);
  release.release();
  EXPECT_TRUE(changes_.WaitForAll());
  WriteInPlace("b.usda");
  EXPECT_TRUE(Noticed("b.usda")) << "reports go on afterwards";
}

}  // namespace
}  // namespace stagedoor
