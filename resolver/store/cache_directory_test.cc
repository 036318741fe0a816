#include "resolver/store/cache_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "resolver/store/block_index.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
using Code = absl::StatusCode;

class CacheDirectoryTest : public testing::Test {
 protected:
  // Adds an object of one block, which is present.
  void Add(const CachedObject& object) const {
    const std::string content(object.size, 'x');
    dir_.Write(fs::path(cache_.DataPath(object)).filename().string(), content);
    const auto index = BlockIndex::OpenOrCreate(cache_.IndexPath(object), object);
    ASSERT_TRUE(index.ok()) << index.status();
    const uint64_t checksum[] = {BlockIndex::Checksum(std::as_bytes(std::span(content)))};
    ASSERT_TRUE((*index)->Write(0, checksum).ok());
  }
  static void SetAge(const std::string& path, time_t seconds) {
    const timespec then[2] = {{::time(nullptr) - seconds, 0}, {::time(nullptr) - seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), then, 0), 0);
  }

  const TempDir dir_;
  const CacheDirectory cache_ = CacheDirectory::Create(dir_.path()).value();
  const CachedObject object_{"https://host/a", "1", 100};
};

TEST_F(CacheDirectoryTest, NobodyElseMayWriteToIt) {
  for (const mode_t mode : {0720, 0702, 0777}) {
    ASSERT_EQ(::chmod(dir_.path().c_str(), mode), 0);
    const absl::Status status = CacheDirectory::Open(dir_.path()).status();
    EXPECT_EQ(status.code(), Code::kPermissionDenied) << std::oct << mode;
    EXPECT_EQ(Message(status), "the cache directory '" + dir_.path() +
                                   "' must belong to the user of the daemon, and be writable by "
                                   "nobody else");
  }
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
  EXPECT_TRUE(CacheDirectory::Open(dir_.path()).ok()) << "others may read it";
}

TEST_F(CacheDirectoryTest, IsCreatedForItsUserOnly) {
  const std::string path = dir_ / "new";
  ASSERT_TRUE(CacheDirectory::Create(path).ok());
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  EXPECT_EQ(CacheDirectory::Open(dir_ / "none").status().code(), Code::kNotFound);
  const absl::Status status = CacheDirectory::Create(dir_ / "none/new").status();
  EXPECT_EQ(Message(status), "cannot create the cache directory '" + (dir_ / "none/new") +
                                 "': No such file or directory");
}

TEST_F(CacheDirectoryTest, OldTemporaryFilesAreRemoved) {
  dir_.Write("old.tmp", "x");
  dir_.Write("new.tmp", "x");
  dir_.Write("old.txt", "x");
  SetAge(dir_ / "old.tmp", 3660);
  SetAge(dir_ / "new.tmp", 3540);
  SetAge(dir_ / "old.txt", 3660);
  EXPECT_TRUE(cache_.List().value().entries.empty());
  EXPECT_FALSE(fs::exists(dir_ / "old.tmp"));
  EXPECT_TRUE(fs::exists(dir_ / "new.tmp")) << "a process may be writing it";
  EXPECT_TRUE(fs::exists(dir_ / "old.txt"));
}

TEST_F(CacheDirectoryTest, ListsWhatItCanExamine) {
  Add(object_);
  fs::create_directory(dir_ / "directory.data");
  EXPECT_EQ(cache_.List().value().entries.size(), 1u);
  EXPECT_GT(cache_.List().value().disk_bytes, 0u);
  {
    const SystemCallHook vanished("fstatat", Fail(ENOENT));
    EXPECT_TRUE(cache_.List().value().entries.empty());
  }
  const SystemCallHook exhausted("opendir", Fail(EMFILE));
  const absl::Status status = cache_.List().status();
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_EQ(Message(status), "cannot read '" + dir_.path() + "': Too many open files");
}

TEST_F(CacheDirectoryTest, LeavesEvictionToAProcessThatIsEvicting) {
  Add(object_);
  uint64_t evicted = 0;
  int tried = 0;
  {
    const SystemCallHook taken("flock", [&] {
      ++tried;
      return EWOULDBLOCK;
    });
    EXPECT_GT(cache_.EvictTo(0, &evicted).value(), 0u);
  }
  EXPECT_GT(tried, 1) << "it waits";
  EXPECT_EQ(evicted, 0u);
  {
    const SystemCallHook soon("flock", Fail(EWOULDBLOCK, 2));
    EXPECT_EQ(cache_.EvictTo(0, &evicted).value(), 0u);
  }
  EXPECT_EQ(evicted, 1u);
  EXPECT_TRUE(cache_.List().value().entries.empty());
}

// Another process may use it, which only its lock would tell.
TEST_F(CacheDirectoryTest, DoesNotRemoveAnEntryWhoseLockIsUnknown) {
  Add(object_);
  const CacheDirectory::Entry entry = cache_.List().value().entries.at(0);
  {
    const SystemCallHook exhausted("open", Fail(EMFILE));
    EXPECT_FALSE(cache_.Remove(entry));
  }
  EXPECT_TRUE(fs::exists(cache_.IndexPath(object_)));
  EXPECT_TRUE(cache_.Remove(entry));
  EXPECT_FALSE(fs::exists(cache_.IndexPath(object_)));
  EXPECT_TRUE(cache_.Remove(entry)) << "it is gone";
}

TEST_F(CacheDirectoryTest, BlocksThatCannotBeReadAreDamaged) {
  Add(object_);
  const CacheDirectory::Entry entry = cache_.List().value().entries.at(0);
  {
    const SystemCallHook exhausted("open", Fail(EMFILE, 1, 1));
    EXPECT_EQ(cache_.Verify(entry).status().code(), Code::kResourceExhausted);
  }
  EXPECT_EQ(cache_.Verify(entry)->damaged_bytes, 0u) << "that says nothing about the blocks";
  {
    const SystemCallHook broken("pread", Fail(EIO, 1, 3));  // after the header, names, checksums
    EXPECT_EQ(cache_.Verify(entry)->damaged_bytes, object_.size);
  }
  EXPECT_EQ(cache_.Describe(entry)->present_bytes, 0u);
  const CachedObject truncated{"https://host/b", "1", 100};
  Add(truncated);
  fs::resize_file(cache_.DataPath(truncated), 99);
  const CacheDirectory::Entry other = cache_.List().value().entries.at(1);
  EXPECT_EQ(cache_.Verify(other)->damaged_bytes, 100u);
}

TEST_F(CacheDirectoryTest, TheBlocksOfAMissingFileAreDamaged) {
  Add(object_);
  const CacheDirectory::Entry entry = cache_.List().value().entries.at(0);
  fs::remove(cache_.DataPath(object_));
  EXPECT_EQ(cache_.Verify(entry)->damaged_bytes, object_.size);
}

}  // namespace
}  // namespace stagedoor
