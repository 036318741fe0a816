// Processes that are killed while they fill a cache: what they leave is complete or absent.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/store/block_cache.h"

namespace stagedoor {
namespace {

constexpr int kObjects = 4;
constexpr uint64_t kBlocks = 16;
constexpr uint64_t kSize = kBlocks * kBlockBytes - 100;

std::byte ByteOf(int object, uint64_t offset) {
  return static_cast<std::byte>(offset * 31 + offset / 251 + 7 * static_cast<uint64_t>(object));
}

// Opens an object whose content is computed. Counts the blocks that are fetched.
std::shared_ptr<const BlockFile> Open(BlockCache& cache, int object, uint64_t* fetched = nullptr) {
  const auto file = cache.Open(
      {Concat("object ", object), "v", kSize},
      [=](RequestContext&, std::span<const ByteRange> ranges, const ObjectStore::Sink& sink) {
        for (const ByteRange& range : ranges) {
          if (fetched != nullptr) *fetched += (range.size + kBlockBytes - 1) / kBlockBytes;
          // Small pieces, so that a process is often killed within a block.
          for (uint64_t at = range.offset; at < range.end();) {
            std::byte piece[1000];
            const uint64_t size = std::min<uint64_t>(sizeof(piece), range.end() - at);
            for (uint64_t i = 0; i < size; ++i) piece[i] = ByteOf(object, at + i);
            const absl::Status status = sink(at, std::span(piece).first(size));
            if (!status.ok()) return status;
            at += size;
          }
        }
        return absl::OkStatus();
      });
  return file.ok() ? *file : nullptr;
}

// Fetches blocks in random order, for ever.
[[noreturn]] void FillForEver(const std::string& directory, unsigned seed) {
  std::mt19937 random(seed);
  for (;;) {
    const auto cache = *BlockCache::Create({.directory = directory});
    for (int i = 0; i < kObjects; ++i) {
      const auto file = Open(*cache, static_cast<int>(random() % kObjects));
      for (uint64_t n = 0; n < kBlocks && file != nullptr; ++n) {
        RequestContext context;
        const ByteRange range{random() % kSize, 1};
        (void)file->Ensure(context, {&range, 1});
      }
    }
    uint64_t evicted = 0;
    if (random() % 4 == 0) (void)cache->directory()->EvictTo(0, &evicted);
  }
}

bool IsRight(const BlockFile& file, int object) {
  for (uint64_t i = 0; i < kSize; ++i) {
    if (file.bytes()[i] != ByteOf(object, i)) return false;
  }
  return true;
}

TEST(CacheCrashTest, WhatAKilledProcessLeavesIsCompleteOrAbsent) {
  const TempDir dir;
  std::mt19937 random(1);
  for (unsigned round = 0; round < 100; ++round) {
    // Two processes at the same time, so that one is also killed beside the other.
    pid_t children[2];
    for (pid_t& child : children) {
      child = fork();
      if (child == 0) FillForEver(dir.path(), random());
      ASSERT_GT(child, 0);
      (void)random();
    }
    for (const pid_t child : children) {
      std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 5000));
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    const auto cache = BlockCache::Create({.directory = dir.path()});
    ASSERT_TRUE(cache.ok()) << cache.status();
    for (int object = 0; object < kObjects; ++object) {
      const auto file = Open(**cache, object);
      ASSERT_NE(file, nullptr);
      RequestContext context;
      const ByteRange all{0, kSize};
      ASSERT_TRUE(file->Ensure(context, {&all, 1}).ok());
      ASSERT_TRUE(IsRight(*file, object)) << "round " << round;
    }
    uint64_t evicted = 0;
    ASSERT_TRUE((*cache)->directory()->EvictTo(0, &evicted).ok());
  }
}

}  // namespace
}  // namespace stagedoor
