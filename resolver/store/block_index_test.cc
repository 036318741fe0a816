#include "resolver/store/block_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "resolver/store/disk_io.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
using Code = absl::StatusCode;

class BlockIndexTest : public testing::Test {
 protected:
  // The number of files, temporary ones included.
  size_t CountFiles() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(dir_.path()), {}));
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "a.index";
  const CachedObject object_{"https://host/a", "1", 3 * kBlockBytes};
};

TEST_F(BlockIndexTest, KeepsTheChecksumsOfAnObject) {
  EXPECT_EQ(BlockIndex::Open(path_).status().code(), Code::kNotFound);
  {
    const auto created = BlockIndex::OpenOrCreate(path_, object_);
    ASSERT_TRUE(created.ok()) << created.status();
    EXPECT_EQ((*created)->Read(0, 3).value(), (std::vector<uint64_t>{0, 0, 0}));
    const std::vector<uint64_t> checksums = {5, 7};
    ASSERT_TRUE((*created)->Write(1, checksums).ok());
  }
  const auto opened = BlockIndex::Open(path_);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ((*opened)->object(), object_);
  EXPECT_EQ((*opened)->Read(0, 3).value(), (std::vector<uint64_t>{0, 5, 7}));
  EXPECT_EQ(CountFiles(), 1u);
}

TEST_F(BlockIndexTest, AnIndexOfAnotherObjectIsDamaged) {
  ASSERT_TRUE(BlockIndex::OpenOrCreate(path_, object_).ok());
  CachedObject other = object_;
  other.version = "2";
  const absl::Status status = BlockIndex::OpenOrCreate(path_, other).status();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_EQ(Message(status), "cache file '" + path_ + "' is that of another object");
}

TEST_F(BlockIndexTest, NamesHaveAMaximumLength) {
  const std::string longest(64 << 10, 'x');
  const CachedObject paths[] = {{longest, "1", 1}, {longest + "x", "1", 1}};
  const CachedObject versions[] = {{"p", longest, 1}, {"p", longest + "x", 1}};
  for (const auto& [longest_one, too_long] :
       {std::pair(paths[0], paths[1]), std::pair(versions[0], versions[1])}) {
    fs::remove(path_);
    EXPECT_EQ(BlockIndex::OpenOrCreate(path_, too_long).status().code(), Code::kInvalidArgument);
    EXPECT_EQ(CountFiles(), 0u);
    ASSERT_TRUE(BlockIndex::OpenOrCreate(path_, longest_one).ok());
    EXPECT_EQ((*BlockIndex::Open(path_))->object(), longest_one);
  }
}

// Each field of the header, and everything that the checksum covers.
TEST_F(BlockIndexTest, AnyOtherByteInTheHeaderIsDamage) {
  ASSERT_TRUE(BlockIndex::OpenOrCreate(path_, object_).ok());
  const std::string whole = ReadSmallFile(path_, 1 << 20).value();
  const size_t used = 40 + object_.path.size() + object_.version.size();
  for (size_t at = 0; at < used; ++at) {
    for (const char flip : {1, -128}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      dir_.Write("a.index", changed);
      EXPECT_EQ(BlockIndex::Open(path_).status().code(), Code::kDataLoss) << at;
    }
  }
  for (const size_t size : {size_t{0}, size_t{39}, used - 1, whole.size() - 1, whole.size() + 1}) {
    std::string changed = whole;
    changed.resize(size, 'x');
    dir_.Write("a.index", changed);
    EXPECT_EQ(BlockIndex::Open(path_).status().code(), Code::kDataLoss) << size;
  }
  dir_.Write("a.index", whole);
  EXPECT_TRUE(BlockIndex::Open(path_).ok());
}

// By another process, after it was opened and before it is locked.
TEST_F(BlockIndexTest, AnIndexThatWasEvictedMeanwhileIsCreatedAgain) {
  ASSERT_TRUE(BlockIndex::OpenOrCreate(path_, object_).ok());
  int locked = 0;
  const SystemCallHook evicted("flock", [&] {
    if (++locked == 1) fs::remove(path_);
    return 0;
  });
  const auto index = BlockIndex::OpenOrCreate(path_, object_);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(locked, 2);
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(BlockIndexTest, AnIndexIsTriedEightTimes) {
  ASSERT_TRUE(BlockIndex::OpenOrCreate(path_, object_).ok());
  const std::string whole = ReadSmallFile(path_, 1 << 20).value();
  int locked = 0;
  const SystemCallHook replaced("flock", [&] {
    ++locked;
    dir_.Write("a.index", whole);
    return 0;
  });
  const absl::Status status = BlockIndex::Open(path_).status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_EQ(Message(status), "cache file '" + path_ + "' keeps being replaced");
  EXPECT_EQ(locked, 8);
}

TEST_F(BlockIndexTest, AnIndexIsCreatedEightTimes) {
  int created = 0;
  const SystemCallHook count("link", [&] {
    ++created;
    return 0;
  });
  const SystemCallHook evicted("flock", [&] {
    fs::remove(path_);
    return 0;
  });
  const absl::Status status = BlockIndex::OpenOrCreate(path_, object_).status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_EQ(Message(status), "cache file '" + path_ + "' keeps being evicted");
  EXPECT_EQ(created, 8);
}

TEST_F(BlockIndexTest, AnIndexThatAnotherProcessCreatesIsUsed) {
  std::atomic<int> linked{0};
  const SystemCallHook first("link", [&] {
    if (++linked != 1) return 0;
    std::thread other([&] { EXPECT_TRUE(BlockIndex::OpenOrCreate(path_, object_).ok()); });
    other.join();
    return 0;
  });
  EXPECT_TRUE(BlockIndex::OpenOrCreate(path_, object_).ok());
  EXPECT_EQ(linked, 2);
  EXPECT_EQ(CountFiles(), 1u);
}

TEST_F(BlockIndexTest, InterruptedLocksGoOn) {
  const SystemCallHook interrupted("flock", Fail(EINTR, 3));
  EXPECT_TRUE(BlockIndex::OpenOrCreate(path_, object_).ok());
}

TEST_F(BlockIndexTest, FailuresNameTheFileAndLeaveNothing) {
  const struct {
    const char* call;
    int error;
    Code code;
    std::string message;
  } kCreate[] = {
      {"ftruncate", ENOSPC, Code::kResourceExhausted, "cannot create '" + path_ + "."},
      {"link", EIO, Code::kUnavailable, "cannot create '" + path_ + "': Input/output error"},
      {"pwrite", EIO, Code::kUnavailable, "cannot write to the cache: Input/output error"},
  };
  for (const auto& c : kCreate) {
    const SystemCallHook hook(c.call, Fail(c.error));
    const absl::Status status = BlockIndex::OpenOrCreate(path_, object_).status();
    EXPECT_EQ(status.code(), c.code) << status;
    EXPECT_EQ(Message(status).substr(0, c.message.size()), c.message);
    EXPECT_EQ(CountFiles(), 0u) << c.call;
  }
  ASSERT_TRUE(BlockIndex::OpenOrCreate(path_, object_).ok());
  const std::pair<SystemCallHook::Function, const char*> kOpen[] = {{Fail(EIO), "fstat"},
                                                                    {Fail(EIO, 1, 1), "fstat"},
                                                                    {Fail(ENOLCK), "flock"},
                                                                    {Fail(EIO), "pread"}};
  for (const auto& [fail, call] : kOpen) {
    const SystemCallHook hook(call, fail);
    EXPECT_EQ(BlockIndex::Open(path_).status().code(), Code::kUnavailable) << call;
  }
  const SystemCallHook hook("open", Fail(EMFILE, 1, 1));
  fs::remove(path_);
  const absl::Status status = BlockIndex::OpenOrCreate(path_, object_).status();
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
}

}  // namespace
}  // namespace stagedoor
