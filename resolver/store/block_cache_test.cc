#include "resolver/store/block_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/store/disk_io.h"
#include "resolver/store/testing/fake_store.h"

namespace stagedoor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

std::string Pattern(size_t size) {
  std::string out(size, '\0');
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>(i * 31 + i / 251);
  return out;
}

class BlockCacheTest : public testing::TestWithParam<bool> {
 protected:
  bool on_disk() const { return GetParam(); }
  std::unique_ptr<BlockCache> NewCache(BlockCacheOptions options = {}) {
    if (on_disk()) options.directory = dir_.path();
    return *BlockCache::Create(std::move(options));
  }
  absl::StatusOr<std::shared_ptr<const BlockFile>> TryOpen(BlockCache& cache,
                                                           const std::string& path) {
    const auto opened = store_.Open(context_, path, nullptr, 0);
    if (!opened.ok()) return opened.status();
    const ObjectInfo info = opened->info;
    return cache.Open({path, info.version.token(), info.size},
                      [this, path, info](RequestContext& context, std::span<const ByteRange> ranges,
                                         const ObjectStore::Sink& sink) {
                        return store_.Fetch(context, path, info, ranges, sink);
                      });
  }
  std::shared_ptr<const BlockFile> Open(BlockCache& cache, const std::string& path) {
    auto file = TryOpen(cache, path);
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *file : nullptr;
  }
  absl::Status Ensure(const BlockFile& file, std::vector<ByteRange> ranges) {
    RequestContext context;
    return file.Ensure(context, ranges);
  }
  static std::string_view Bytes(const BlockFile& file, ByteRange range) {
    return {reinterpret_cast<const char*>(file.bytes().data()) + range.offset, range.size};
  }

  const TempDir dir_;
  FakeStore store_;
  RequestContext context_;
};

INSTANTIATE_TEST_SUITE_P(InMemory, BlockCacheTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(OnDisk, BlockCacheTest, testing::Values(true));

TEST_P(BlockCacheTest, FetchesTheBlocksThatAreAskedFor) {
  const std::string content = Pattern(1000000);
  store_.Put("p", content);
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  EXPECT_FALSE(file->Has({0, 1}));
  ASSERT_TRUE(Ensure(*file, {{100000, 10}, {999999, 1}, {100005, 20}}).ok());
  EXPECT_EQ(store_.fetches, 1);
  EXPECT_EQ(store_.ranges, 2);
  EXPECT_EQ(store_.bytes, kBlockBytes + 1000000 % kBlockBytes);
  EXPECT_TRUE(file->Has({100000, 25}));
  EXPECT_EQ(Bytes(*file, {100000, 25}), content.substr(100000, 25));
  EXPECT_EQ(Bytes(*file, {999999, 1}), content.substr(999999));
  EXPECT_FALSE(file->Has({100000, kBlockBytes}));
  ASSERT_TRUE(Ensure(*file, {{100000, 10}}).ok());
  EXPECT_EQ(store_.fetches, 1) << "what is there is not fetched again";
}

TEST_P(BlockCacheTest, NeighboursAreOneRange) {
  store_.Put("p", Pattern(1000000));
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  ASSERT_TRUE(Ensure(*file, {{5 * kBlockBytes, kBlockBytes},
                             {3 * kBlockBytes, 2 * kBlockBytes},
                             {7 * kBlockBytes, 1}})
                  .ok());
  EXPECT_EQ(store_.ranges, 2);
  EXPECT_EQ(store_.bytes, 4 * kBlockBytes);
}

TEST_P(BlockCacheTest, ReadsAheadOnlyInOrder) {
  store_.Put("p", Pattern(4000000));
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  const auto fetched = [&](uint64_t block) {
    const uint64_t before = store_.bytes;
    EXPECT_TRUE(Ensure(*file, {{block * kBlockBytes, 1}}).ok());
    return (store_.bytes - before) / kBlockBytes;
  };
  EXPECT_EQ(fetched(100), 1u);
  EXPECT_EQ(fetched(50), 1u);
  EXPECT_EQ(fetched(51), 2u);
  EXPECT_EQ(fetched(53), 3u);
  EXPECT_EQ(fetched(56), 5u);
  EXPECT_EQ(fetched(20), 1u) << "a jump ends it";
  EXPECT_EQ(fetched(21), 2u);
}

TEST_P(BlockCacheTest, ReadsAheadAMebibyteAtMost) {
  store_.Put("p", Pattern(4 * kMiB));
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  uint64_t most = 0;
  for (uint64_t block = 0; block < file->object().block_count();) {
    const uint64_t before = store_.bytes;
    ASSERT_TRUE(Ensure(*file, {{block * kBlockBytes, 1}}).ok());
    const uint64_t fetched = (store_.bytes - before) / kBlockBytes;
    most = std::max(most, fetched);
    block += fetched;
  }
  EXPECT_EQ(most, 1 + kMiB / kBlockBytes);
}

TEST_P(BlockCacheTest, ReadingAheadStopsAtTheEnd) {
  store_.Put("p", Pattern(5 * kBlockBytes + 7));
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  for (uint64_t block : {3, 4, 5}) {
    ASSERT_TRUE(Ensure(*file, {{block * kBlockBytes, 1}}).ok());
  }
  EXPECT_EQ(store_.bytes, 2 * kBlockBytes + 7);
}

TEST_P(BlockCacheTest, ThreadsShareAFetch) {
  const std::string content = Pattern(300000);
  store_.Put("p", content);
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      RequestContext context;
      const ByteRange all[] = {{0, content.size()}};
      EXPECT_TRUE(file->Ensure(context, all).ok());
      EXPECT_EQ(Bytes(*file, all[0]), content);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store_.bytes, content.size());
}

TEST_P(BlockCacheTest, WaitingForAnotherThreadObservesTheRequest) {
  store_.Put("p", Pattern(kBlockBytes));
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  RequestContext waiting;
  store_.on_fetch = [&] {  // the second thread asks while the first one fetches
    std::thread([&] {
      waiting.Cancel();
      const ByteRange range[] = {{0, 1}};
      EXPECT_EQ(file->Ensure(waiting, range).code(), absl::StatusCode::kCancelled);
    }).join();
  };
  EXPECT_TRUE(Ensure(*file, {{0, 1}}).ok());
  EXPECT_TRUE(file->Has({0, 1}));
}

TEST_P(BlockCacheTest, WaitersFetchWhatAnotherThreadCouldNot) {
  store_.Put("p", Pattern(kBlockBytes));
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  std::thread second;
  absl::Status second_status = absl::UnknownError("");
  store_.on_fetch = [&] {
    store_.on_fetch = nullptr;
    store_.unavailable = true;
    second = std::thread([&] {
      RequestContext context;
      const ByteRange range[] = {{0, 1}};
      second_status = file->Ensure(context, range);
    });
  };
  EXPECT_EQ(Ensure(*file, {{0, 1}}).code(), absl::StatusCode::kUnavailable);
  second.join();
  EXPECT_EQ(second_status.code(), absl::StatusCode::kUnavailable) << "it asked for itself";
  EXPECT_EQ(store_.fetches, 2);
  store_.unavailable = false;
  EXPECT_TRUE(Ensure(*file, {{0, 1}}).ok());
}

TEST_P(BlockCacheTest, KeepsTheBlocksOfABrokenFetch) {
  const std::string content = Pattern(10 * kBlockBytes);
  store_.Put("p", content);
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  store_.fails_after = 3 * kBlockBytes + 100;
  EXPECT_EQ(Ensure(*file, {{0, content.size()}}).code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(file->Has({0, 3 * kBlockBytes}));
  EXPECT_FALSE(file->Has({0, 3 * kBlockBytes + 1}));
  store_.fails_after = UINT64_MAX;
  store_.bytes = 0;
  ASSERT_TRUE(Ensure(*file, {{0, content.size()}}).ok());
  EXPECT_EQ(store_.bytes, 7 * kBlockBytes);
  EXPECT_EQ(Bytes(*file, {0, content.size()}), content);
}

TEST_P(BlockCacheTest, EvictsTheLeastRecentlyUsedObject) {
  for (const char* path : {"a", "b", "c"}) store_.Put(path, Pattern(kMiB));
  const auto cache = NewCache({.max_bytes = 5 * kMiB / 2});
  for (const char* path : {"a", "b", "a", "c"}) {
    ASSERT_TRUE(Ensure(*Open(*cache, path), {{0, kMiB}}).ok()) << path;
  }
  EXPECT_GE(cache->Stats().evictions, 1u);
  EXPECT_LE(cache->Stats().bytes, 5 * kMiB / 2);
  store_.bytes = 0;
  ASSERT_TRUE(Ensure(*Open(*cache, "a"), {{0, kMiB}}).ok());
  EXPECT_EQ(store_.bytes, 0u) << "b was evicted, not a";
}

TEST_P(BlockCacheTest, RefusesBlocksIfEverythingIsInUse) {
  store_.Put("a", Pattern(kMiB));
  store_.Put("b", Pattern(kMiB));
  const auto cache = NewCache({.max_bytes = 3 * kMiB / 2});
  const auto a = Open(*cache, "a");
  ASSERT_TRUE(Ensure(*a, {{0, kMiB}}).ok());
  {
    const auto b = Open(*cache, "b");
    const absl::Status status = Ensure(*b, {{0, kMiB}});
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("--cache-bytes"), std::string_view::npos) << status;
    EXPECT_EQ(Ensure(*b, {{0, kMiB / 4}, {kMiB / 2, kMiB / 3}}).code(),
              absl::StatusCode::kResourceExhausted)
        << "each range alone would fit";
    EXPECT_TRUE(Ensure(*b, {{0, 1000}}).ok()) << "less fits";
  }
  EXPECT_TRUE(a->Has({0, kMiB}));
}

TEST_P(BlockCacheTest, AsksForReliefIfEverythingIsInUse) {
  store_.Put("a", Pattern(kMiB));
  store_.Put("b", Pattern(kMiB));
  const auto cache = NewCache({.max_bytes = 3 * kMiB / 2});
  auto kept = Open(*cache, "a");
  ASSERT_TRUE(Ensure(*kept, {{0, kMiB}}).ok());
  int asked = 0;
  cache->SetRelief([&] {
    ++asked;
    kept = nullptr;
  });
  EXPECT_TRUE(Ensure(*Open(*cache, "b"), {{0, kMiB}}).ok());
  EXPECT_EQ(asked, 1);
}

TEST_P(BlockCacheTest, BytesThatDidNotArriveAreNotCounted) {
  store_.Put("a", Pattern(kMiB));
  const auto cache = NewCache();
  const auto a = Open(*cache, "a");
  const uint64_t before = cache->Stats().bytes;
  store_.fails_after = 0;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(Ensure(*a, {{0, kMiB}}).ok());
  EXPECT_EQ(cache->Stats().bytes, before);
}

TEST_P(BlockCacheTest, ClosesWhatNobodyUses) {
  store_.Put("a", Pattern(kMiB));
  store_.Put("b", Pattern(kMiB));
  const auto cache = NewCache();
  const auto used = Open(*cache, "a");
  ASSERT_TRUE(Ensure(*used, {{0, kMiB}}).ok());
  ASSERT_TRUE(Ensure(*Open(*cache, "b"), {{0, kMiB}}).ok());
  EXPECT_EQ(cache->Stats().open_files, 2u);
  EXPECT_EQ(cache->Stats().bytes, 2 * kMiB);
  cache->CloseUnused();
  EXPECT_EQ(cache->Stats().open_files, 1u);
  EXPECT_EQ(cache->Stats().bytes, on_disk() ? 2 * kMiB : kMiB);
  EXPECT_TRUE(used->Has({0, kMiB}));
}

TEST_P(BlockCacheTest, HoldsNoMoreIdleFilesThanPermitted) {
  const auto cache = NewCache({.max_idle_files = 2});
  std::vector<std::weak_ptr<const BlockFile>> files;
  for (int i = 0; i < 5; ++i) {
    store_.Put(Concat(i), Pattern(100));
    files.push_back(Open(*cache, Concat(i)));
  }
  int open = 0;
  for (const auto& file : files) open += !file.expired();
  EXPECT_LE(open, 3);
}

class DiskCacheTest : public BlockCacheTest {};
INSTANTIATE_TEST_SUITE_P(OnDisk, DiskCacheTest, testing::Values(true));

TEST_P(DiskCacheTest, ProcessesShareBlocks) {
  const std::string content = Pattern(500000);
  store_.Put("p", content);
  const auto one = NewCache();
  const auto other = NewCache();
  const auto first = Open(*one, "p");
  const auto second = Open(*other, "p");
  ASSERT_TRUE(Ensure(*first, {{0, 200000}}).ok());
  store_.bytes = 0;
  ASSERT_TRUE(Ensure(*second, {{0, 200000}}).ok());
  EXPECT_EQ(store_.bytes, 0u);
  EXPECT_EQ(other->Stats().found_blocks, 13u);
  ASSERT_TRUE(Ensure(*second, {{0, content.size()}}).ok());
  ASSERT_TRUE(Ensure(*first, {{0, content.size()}}).ok());
  EXPECT_EQ(store_.bytes, content.size() - 13 * kBlockBytes);
  EXPECT_EQ(Bytes(*first, {0, content.size()}), content);
}

TEST_P(DiskCacheTest, VersionsAreDifferentObjects) {
  store_.Put("p", "one");
  const auto cache = NewCache();
  const auto one = Open(*cache, "p");
  ASSERT_TRUE(Ensure(*one, {{0, 3}}).ok());
  store_.Put("p", "two");
  const auto two = Open(*cache, "p");
  ASSERT_TRUE(Ensure(*two, {{0, 3}}).ok());
  EXPECT_EQ(Bytes(*one, {0, 3}), "one");
  EXPECT_EQ(Bytes(*two, {0, 3}), "two");
}

TEST_P(DiskCacheTest, DamagedBlocksAreFetchedAgain) {
  const std::string content = Pattern(100000);
  store_.Put("p", content);
  std::string data;
  {
    const auto cache = NewCache();
    const auto file = Open(*cache, "p");
    ASSERT_TRUE(Ensure(*file, {{0, content.size()}}).ok());
    data = cache->directory()->DataPath(file->object());
  }
  const UniqueFd fd(open(data.c_str(), O_RDWR));
  ASSERT_EQ(pwrite(fd.get(), "?", 1, 50000), 1);
  const auto cache = NewCache();
  store_.bytes = 0;
  const auto file = Open(*cache, "p");
  ASSERT_TRUE(Ensure(*file, {{0, content.size()}}).ok());
  EXPECT_EQ(store_.bytes, kBlockBytes);
  EXPECT_EQ(cache->Stats().damaged_blocks, 1u);
  EXPECT_EQ(Bytes(*file, {0, content.size()}), content);
}

TEST_P(DiskCacheTest, DamagedIndexesAreReplaced) {
  const std::string content = Pattern(100000);
  store_.Put("p", content);
  std::string index;
  std::string data;
  {
    const auto cache = NewCache();
    const auto file = Open(*cache, "p");
    ASSERT_TRUE(Ensure(*file, {{0, content.size()}}).ok());
    index = cache->directory()->IndexPath(file->object());
    data = cache->directory()->DataPath(file->object());
  }
  const std::string whole = *ReadSmallFile(index, kMiB);
  std::vector<std::string> broken = {"", "SDCACHE1", whole.substr(0, whole.size() - 8),
                                     whole + std::string(8, '\0')};
  for (const size_t at : {0, 8, 12, 16, 24, 28, 32, 40, 41}) {
    broken.push_back(whole);
    broken.back()[at] = static_cast<char>(broken.back()[at] ^ 1);
  }
  for (const std::string& bytes : broken) {
    ASSERT_TRUE(ReplaceFile(index, bytes).ok());
    const auto cache = NewCache();
    const auto file = Open(*cache, "p");
    ASSERT_NE(file, nullptr);
    ASSERT_TRUE(Ensure(*file, {{0, content.size()}}).ok());
    EXPECT_EQ(Bytes(*file, {0, content.size()}), content);
  }
  // Without its data, the index tells nothing.
  unlink(data.c_str());
  const auto cache = NewCache();
  const auto file = Open(*cache, "p");
  ASSERT_TRUE(Ensure(*file, {{0, content.size()}}).ok());
  EXPECT_EQ(Bytes(*file, {0, content.size()}), content);
}

TEST_P(DiskCacheTest, DoesNotEvictWhatAnotherProcessUses) {
  store_.Put("a", Pattern(kMiB));
  store_.Put("b", Pattern(kMiB));
  const auto other = NewCache();
  const auto used = Open(*other, "a");
  ASSERT_TRUE(Ensure(*used, {{0, kMiB}}).ok());
  const auto cache = NewCache({.max_bytes = 3 * kMiB / 2});
  EXPECT_EQ(Ensure(*Open(*cache, "b"), {{0, kMiB}}).code(), absl::StatusCode::kResourceExhausted);
  uint64_t evicted = 0;
  ASSERT_TRUE(cache->directory()->EvictTo(0, &evicted).ok());
  const auto listing = cache->directory()->List();
  ASSERT_TRUE(listing.ok());
  bool found = false;
  for (const auto& entry : listing->entries) {
    const auto details = cache->directory()->Describe(entry);
    found |= details.ok() && details->object == used->object();
  }
  EXPECT_TRUE(found);
}

TEST_P(DiskCacheTest, CountsWhatOtherProcessesHaveFetched) {
  for (const char* path : {"a", "b", "c"}) store_.Put(path, Pattern(kMiB));
  const auto cache = NewCache({.max_bytes = 4 * kMiB});
  const auto other = NewCache();
  for (const char* path : {"a", "b"}) {
    ASSERT_TRUE(Ensure(*Open(*other, path), {{0, kMiB}}).ok());
  }
  // The directory is listed once enough has been added to it.
  const auto c = Open(*cache, "c");
  ASSERT_TRUE(Ensure(*c, {{0, kMiB / 2}}).ok());
  ASSERT_TRUE(Ensure(*c, {{kMiB / 2, 1}}).ok());
  EXPECT_GE(cache->Stats().bytes, 5 * kMiB / 2);
}

TEST_P(DiskCacheTest, VerifyFindsDamage) {
  store_.Put("p", Pattern(100000));
  const auto cache = NewCache();
  {
    const auto file = Open(*cache, "p");
    ASSERT_TRUE(Ensure(*file, {{0, 50000}}).ok());
    const UniqueFd fd(open(cache->directory()->DataPath(file->object()).c_str(), O_RDWR));
    ASSERT_EQ(pwrite(fd.get(), "?", 1, 40000), 1);
  }
  const auto listing = cache->directory()->List();
  ASSERT_EQ(listing->entries.size(), 1u);
  const CacheDirectory::Entry& entry = listing->entries[0];
  const auto described = cache->directory()->Describe(entry);
  EXPECT_EQ(described->object.path, "p");
  EXPECT_EQ(described->object.size, 100000u);
  EXPECT_EQ(described->present_bytes, 4 * kBlockBytes);
  EXPECT_EQ(described->damaged_bytes, 0u);
  EXPECT_EQ(cache->directory()->Verify(entry)->damaged_bytes, kBlockBytes);
  EXPECT_EQ(cache->directory()->Verify(entry)->damaged_bytes, 0u) << "it was removed";
  EXPECT_EQ(cache->directory()->Describe(entry)->present_bytes, 3 * kBlockBytes);
}

TEST_P(DiskCacheTest, MakesRoomWheneverTheDiskIsFull) {
  const auto cache = NewCache();
  int filled = 0;
  for (int round = 0; filled == round; ++round) {
    const std::string old_path = Concat("old ", round), new_path = Concat("new ", round);
    store_.Put(old_path, Pattern(kMiB));
    store_.Put(new_path, Pattern(kMiB));
    ASSERT_TRUE(Ensure(*Open(*cache, old_path), {{0, kMiB}}).ok());
    std::atomic<int> writes{0};
    const SystemCallHook full("pwrite", [&] { return writes++ == round ? ENOSPC : 0; });
    const auto file = Open(*cache, new_path);
    ASSERT_NE(file, nullptr) << round;
    const absl::Status status = Ensure(*file, {{0, kMiB}});
    ASSERT_TRUE(status.ok()) << round << ": " << status;
    filled += writes > round;
  }
  EXPECT_GE(filled, 3) << "the header, a part of the content, checksums";
}

TEST_P(DiskCacheTest, EvictsAnEighthFromAFullDisk) {
  for (const char* path : {"a", "b", "c"}) store_.Put(path, Pattern(kMiB));
  const auto cache = NewCache();
  for (const char* path : {"a", "b"}) {
    ASSERT_TRUE(Ensure(*Open(*cache, path), {{0, kMiB}}).ok()) << path;
  }
  {
    std::atomic<int> writes{0};
    const SystemCallHook full("pwrite", [&] { return writes++ == 1 ? ENOSPC : 0; });
    ASSERT_TRUE(Ensure(*Open(*cache, "c"), {{0, kMiB}}).ok());
    EXPECT_GT(writes, 1);
  }
  store_.bytes = 0;
  ASSERT_TRUE(Ensure(*Open(*cache, "b"), {{0, kMiB}}).ok());
  EXPECT_EQ(store_.bytes, 0u) << "a was enough";
  ASSERT_TRUE(Ensure(*Open(*cache, "a"), {{0, kMiB}}).ok());
  EXPECT_EQ(store_.bytes, kMiB);
}

TEST_P(DiskCacheTest, ADiskThatStaysFullIsAnError) {
  store_.Put("a", Pattern(kMiB));
  const auto cache = NewCache();
  const auto expect_full = [](const absl::Status& status) {
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(Message(status),
              "cannot write to the cache: No space left on device; free space in the directory of "
              "--cache-dir, or choose another");
  };
  {
    const SystemCallHook full("pwrite", Fail(ENOSPC));
    expect_full(TryOpen(*cache, "a").status());
  }
  const auto file = Open(*cache, "a");
  {
    const SystemCallHook full("pwrite", Fail(ENOSPC));
    expect_full(Ensure(*file, {{0, kMiB}}));
  }
  EXPECT_TRUE(Ensure(*file, {{0, kMiB}}).ok());
  EXPECT_EQ(Bytes(*file, {0, kMiB}), Pattern(kMiB));
}

TEST_P(DiskCacheTest, ADirectoryThatCannotBeUsedIsAnError) {
  EXPECT_FALSE(BlockCache::Create({.directory = dir_ / "no/such"}).ok());
  dir_.Write("file", "x");
  const auto cache = BlockCache::Create({.directory = dir_ / "file"});
  EXPECT_EQ(cache.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(cache.status().message().find("file"), std::string_view::npos);
}

TEST_P(DiskCacheTest, MakesRoomForFilesThatCannotBeExtended) {
  const auto cache = NewCache();
  for (int successes = 0; successes < 2; ++successes) {  // the index and the data
    const std::string old_path = Concat("old ", successes), new_path = Concat("new ", successes);
    store_.Put(old_path, Pattern(kMiB));
    store_.Put(new_path, Pattern(kMiB));
    ASSERT_TRUE(Ensure(*Open(*cache, old_path), {{0, kMiB}}).ok());
    const SystemCallHook full("ftruncate", Fail(ENOSPC, 1, successes));
    ASSERT_NE(Open(*cache, new_path), nullptr);
  }
  EXPECT_GE(cache->Stats().evictions, 2u);
}

TEST_P(DiskCacheTest, DamagedFilesAreReplacedOnAFullDisk) {
  for (const char* path : {"a", "damaged"}) store_.Put(path, Pattern(kMiB));
  std::string index;
  {
    const auto cache = NewCache();
    ASSERT_TRUE(Ensure(*Open(*cache, "a"), {{0, kMiB}}).ok());
    index = cache->directory()->IndexPath(Open(*cache, "damaged")->object());
  }
  ASSERT_TRUE(ReplaceFile(index, "?").ok());
  const auto cache = NewCache();
  const SystemCallHook full("ftruncate", Fail(ENOSPC, 1));
  EXPECT_NE(Open(*cache, "damaged"), nullptr);
  EXPECT_EQ(cache->Stats().evictions, 1u);
}

TEST_P(DiskCacheTest, FailuresOfTheDiskSayNothingAboutTheObject) {
  store_.Put("a", Pattern(kMiB));
  const auto cache = NewCache();
  for (const int error : {EIO, ENOENT, EACCES}) {
    const SystemCallHook broken("ftruncate", Fail(error));
    EXPECT_EQ(TryOpen(*cache, "a").status().code(), absl::StatusCode::kUnavailable) << error;
  }
  EXPECT_TRUE(TryOpen(*cache, "a").ok());
}

TEST_P(DiskCacheTest, ADirectoryThatCannotBeListedIsNotEvictedFrom) {
  for (const char* path : {"a", "b"}) store_.Put(path, Pattern(kMiB));
  const auto cache = NewCache();
  ASSERT_TRUE(Ensure(*Open(*cache, "a"), {{0, kMiB}}).ok());
  const SystemCallHook unlisted("opendir", Fail(EMFILE));
  const SystemCallHook full("pwrite", Fail(ENOSPC, 1));
  EXPECT_EQ(TryOpen(*cache, "b").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(cache->Stats().evictions, 0u);
}

TEST(MemoryCacheTest, WithoutMemoryAnObjectCannotBeOpened) {
  const auto cache = BlockCache::Create({});
  ASSERT_TRUE(cache.ok());
  const auto open = [&] {
    return (*cache)->Open({"a", "1", 10}, [](auto&&...) { return absl::OkStatus(); }).status();
  };
  {
    const SystemCallHook hook("memfd_create", Fail(EMFILE));
    EXPECT_EQ(Message(open()), "cannot create a cache file in memory: Too many open files");
    EXPECT_EQ(open().code(), absl::StatusCode::kResourceExhausted);
  }
  {
    const SystemCallHook hook("ftruncate", Fail(ENOMEM));
    EXPECT_EQ(Message(open()), "cannot extend 'a': Cannot allocate memory");
  }
  EXPECT_TRUE(open().ok());
}

}  // namespace
}  // namespace stagedoor
