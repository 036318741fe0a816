#include "server/frame_memory/frame_memory.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/memory_pool.h"
#include "base/request_context.h"

namespace stagedoor::server {
namespace {

class FrameMemoryTest : public ::testing::Test {
 protected:
  static FrameToken TokenAt(double time) { return {.time = TimeCode::At(time)}; }
  // Remembers a frame with some parts.
  void Keep(FrameMemory& memory, double time, uint64_t parts) {
    FrameDigestsBuilder digests(context_, nullptr, memory.max_entry_bytes());
    for (uint64_t key = 1; key <= parts; ++key) digests.Set(key, key);
    EXPECT_TRUE(memory.Keep(context_, TokenAt(time), &digests).ok());
  }

  RequestContext context_;
};

TEST_F(FrameMemoryTest, FindsFramesByTheirTokens) {
  FrameMemory memory(nullptr, FrameMemory::Options());
  Keep(memory, 1, 3);
  ASSERT_NE(memory.Find(TokenAt(1)), nullptr);
  EXPECT_EQ(memory.Find(TokenAt(1))->Find(3), 3u);
  EXPECT_EQ(memory.Find(TokenAt(2)), nullptr);
  FrameToken other = TokenAt(1);
  other.snapshot = {1, 0};
  EXPECT_EQ(memory.Find(other), nullptr);
}

TEST_F(FrameMemoryTest, EntriesAreChargedAndTheOldestGo) {
  const auto pool = std::make_shared<MemoryPool>("stages", size_t{8} << 20);
  FrameMemory memory(pool, FrameMemory::Options());                 // an eighth of it: 1 MiB
  for (int time = 0; time < 10; ++time) Keep(memory, time, 10000);  // 160 kB each
  EXPECT_EQ(memory.Find(TokenAt(0)), nullptr);
  EXPECT_NE(memory.Find(TokenAt(9)), nullptr);
  EXPECT_GT(pool->used(), size_t{160000});
  EXPECT_LE(pool->used(), size_t{1} << 20);
  memory.Evict();
  EXPECT_EQ(memory.Find(TokenAt(9)), nullptr);
  EXPECT_EQ(pool->used(), 0u);
  EXPECT_EQ(memory.Stats().entries, 0u);
}

TEST_F(FrameMemoryTest, AFrameThatWouldFillItIsNotKept) {
  FrameMemory memory(nullptr, {.max_bytes = size_t{1} << 20});
  Keep(memory, 1, 100000);
  EXPECT_EQ(memory.Find(TokenAt(1)), nullptr);
  EXPECT_EQ(memory.Stats().bytes, 0u);
}

TEST_F(FrameMemoryTest, NothingIsKeptWhileThePoolIsOver) {
  const auto pool = std::make_shared<MemoryPool>("stages", size_t{8} << 20);
  FrameMemory memory(pool, FrameMemory::Options());
  Reservation stages(*pool);
  stages.Add(size_t{9} << 20);
  Keep(memory, 1, 3);
  EXPECT_EQ(memory.Find(TokenAt(1)), nullptr);
}

TEST_F(FrameMemoryTest, KeysAreSecret) {
  const FrameMemory a(nullptr, FrameMemory::Options()), b(nullptr, FrameMemory::Options());
  EXPECT_NE(a.hash_key().a, b.hash_key().a);
}

}  // namespace
}  // namespace stagedoor::server
