#include "base/hash.h"

#include <string>
#include <unordered_set>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(HashTest, CombiningDependsOnTheOrder) {
  EXPECT_NE(HashCombine(HashCombine(0, 1), 2), HashCombine(HashCombine(0, 2), 1));
  const int numbers[2] = {};
  EXPECT_NE(HashCombine(7, &numbers[0]), HashCombine(7, &numbers[1]));
}

// Tables choose a slot by the low bits of a combined hash, and by the high bits of a spread one.
TEST(HashTest, NumbersAndAddressesAreSpread) {
  std::unordered_set<uint64_t> combined, spread;
  for (uint64_t i = 0; i < 256; ++i) {
    combined.insert(HashCombine(0, i << 32) & 0xffff);
    spread.insert(SpreadBits(i << 4) >> 48);
  }
  EXPECT_GT(combined.size(), 250u);
  EXPECT_GT(spread.size(), 250u);
}

TEST(HashTest, EveryBitChangesTheMixedOnes) {
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t changed = MixBits(1234567) ^ MixBits(1234567 ^ uint64_t{1} << bit);
    EXPECT_GT(__builtin_popcountll(changed), 10) << bit;
  }
}

TEST(HashTest, FoldsTheProduct) {
  EXPECT_EQ(MultiplyAndFold(3, 5), 15u);
  EXPECT_EQ(MultiplyAndFold(uint64_t{1} << 63, 6), 3u);
}

TEST(HashTest, BytesOfAnyLength) {
  EXPECT_EQ(HashBytes(""), 0u);
  std::unordered_set<uint64_t> hashes;
  std::string text;
  for (int length = 1; length <= 40; ++length) {
    text += 'a';
    hashes.insert(HashBytes(text));
    for (char& c : text) {
      c = 'b';
      hashes.insert(HashBytes(text));
      c = 'a';
    }
  }
  EXPECT_EQ(hashes.size(), 40u + 40 * 41 / 2);
  const std::string copy(text);
  EXPECT_EQ(HashBytes(text), HashBytes(copy));
  EXPECT_NE(HashBytes(std::string_view("a\0", 2)), HashBytes("a"));
}

}  // namespace
}  // namespace stagedoor
