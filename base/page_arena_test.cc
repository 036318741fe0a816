#include "base/page_arena.h"

#include <cstdint>
#include <cstring>
#include <set>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(PageArenaTest, GivesAlignedMemoryThatDoesNotOverlap) {
  PageArena arena(nullptr);
  std::set<std::byte*> begins;
  constexpr size_t kBytes = 40, kObjects = 60000;  // more than one block
  for (size_t i = 0; i < kObjects; ++i) {
    auto* memory = static_cast<std::byte*>(arena.allocate(kBytes, 16));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(memory) % 16, 0u);
    std::memset(memory, 1, kBytes);
    begins.insert(memory);
  }
  ASSERT_EQ(begins.size(), kObjects);
  const std::byte* end = nullptr;
  for (std::byte* begin : begins) {
    ASSERT_LE(end, begin);
    end = begin + kBytes;
  }
}

TEST(PageArenaTest, ChargesPagesInUseUntilCleared) {
  MemoryPool pool("test");
  PageArena arena(&pool);
  EXPECT_EQ(pool.used(), 0u);
  (void)arena.allocate(10, 8);
  (void)arena.allocate(10, 8);
  EXPECT_EQ(pool.used(), 4096u);
  (void)arena.allocate(5000, 8);
  EXPECT_EQ(pool.used(), 8192u);
  arena.Clear();
  EXPECT_EQ(pool.used(), 0u);
  std::memset(arena.allocate(100, 8), 1, 100);
  EXPECT_EQ(pool.used(), 4096u);
}

TEST(PageArenaTest, HoldsObjectsLargerThanABlock) {
  PageArena arena(nullptr);
  constexpr size_t kBytes = size_t{3} << 20;
  std::memset(arena.allocate(kBytes, 8), 1, kBytes);
  std::memset(arena.allocate(8, 8), 1, 8);
}

}  // namespace
}  // namespace stagedoor
