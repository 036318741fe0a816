#include "scene/stage/prim_memo.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace stagedoor {
namespace {

// Puts a new entry, which the memo need not take.
const int* Put(PrimMemo<int>& memo, const PrimData& prim, int number) {
  auto value = std::make_unique<const int>(number);
  return memo.Put(prim, value);
}

TEST(PrimMemoTest, FindsAllEntriesAmongManyCollisions) {
  const size_t kEntries = 1000;
  const std::vector<PrimData> prims(4001), others(kEntries);
  // At irregular addresses: the hash spreads those at equal distances over the whole table, and
  // keeps those that are beside each other together.
  const auto prim = [&](size_t i) -> const PrimData& { return prims[i * i % prims.size()]; };
  PrimMemo<int> memo(kEntries);
  std::vector<const int*> entries;
  for (size_t i = 0; i < kEntries; ++i) {
    EXPECT_EQ(memo.Find(prim(i)), nullptr) << i;
    entries.push_back(Put(memo, prim(i), static_cast<int>(i)));
    ASSERT_NE(entries.back(), nullptr) << i;
  }
  for (size_t i = 0; i < kEntries; ++i) {
    ASSERT_EQ(memo.Find(prim(i)), entries[i]) << i;
    EXPECT_EQ(*entries[i], static_cast<int>(i));
    EXPECT_EQ(Put(memo, prim(i), -1), entries[i]) << "the first entry stays";
    EXPECT_EQ(memo.Find(others[i]), nullptr) << i;
  }
}

TEST(PrimMemoTest, AFullTableTakesNothing) {
  const std::vector<PrimData> prims(65);  // one more than the smallest table has slots
  PrimMemo<int> memo(0);
  for (int i = 0; i < 64; ++i) EXPECT_NE(Put(memo, prims[i], i), nullptr) << i;
  EXPECT_EQ(Put(memo, prims[64], 64), nullptr);
  EXPECT_EQ(memo.Find(prims[64]), nullptr);
  EXPECT_EQ(*memo.Find(prims[63]), 63);
}

TEST(PrimPointersTest, PrimsMayHaveTheSameEntry) {
  const std::vector<PrimData> prims(3);
  const int one = 1, two = 2;
  PrimPointers<int> pointers(prims.size());
  EXPECT_EQ(pointers.Put(prims[0], one), &one);
  EXPECT_EQ(pointers.Put(prims[1], one), &one);
  EXPECT_EQ(pointers.Put(prims[1], two), &one) << "the first entry stays";
  EXPECT_EQ(pointers.Find(prims[0]), pointers.Find(prims[1]));
  EXPECT_EQ(pointers.Find(prims[2]), nullptr);
  int entries = 0;
  pointers.ForEach([&](const int* entry) { entries += *entry; });
  EXPECT_EQ(entries, 2);
}

}  // namespace
}  // namespace stagedoor
