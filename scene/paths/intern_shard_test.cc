#include "scene/paths/intern_shard.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagedoor {
namespace {

struct Number {
  explicit Number(uint64_t n) : hash(n), value(n) { ++alive; }
  ~Number() { --alive; }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  const uint64_t hash;
  const uint64_t value;
  static inline int alive = 0;
};

class InternShardTest : public testing::Test {
 protected:
  using Shard = InternShard<Number, true>;

  const Number* Make(uint64_t n) {
    return shard_.FindOrMake(
        n, [n](const Number& number) { return number.value == n; }, [n] { return new Number(n); });
  }
  const Number* Find(uint64_t n) const {
    return shard_.Find(n, [n](const Number& number) { return number.value == n; });
  }

  Shard shard_;
};

TEST_F(InternShardTest, EqualKeysShareOneEntry) {
  EXPECT_EQ(Find(7), nullptr);
  const Number* seven = Make(7);
  EXPECT_EQ(Make(7), seven);
  EXPECT_EQ(Find(7), seven);
  EXPECT_EQ(shard_.count(), 1u);
  shard_.Remove(seven);
  EXPECT_EQ(Find(7), nullptr);
  EXPECT_EQ(shard_.count(), 0u);
}

TEST_F(InternShardTest, EntriesBehindARemovedOneAreFound) {
  // All start at the same slot, because their hashes agree in the lower bits.
  std::vector<const Number*> made;
  for (uint64_t i = 0; i < 5; ++i) made.push_back(Make(3 + (i << 20)));
  shard_.Remove(made[1]);
  EXPECT_EQ(Find(3 + (uint64_t{1} << 20)), nullptr);
  for (const uint64_t i : {0, 2, 3, 4}) EXPECT_EQ(Find(3 + (i << 20)), made[i]);
  for (const uint64_t i : {0, 2, 3, 4}) shard_.Remove(made[i]);
}

TEST_F(InternShardTest, TheTableGrowsAndShrinksWithItsEntries) {
  std::vector<const Number*> made;
  for (uint64_t i = 0; i < 10000; ++i) made.push_back(Make(i));
  EXPECT_EQ(shard_.count(), 10000u);
  const size_t large = shard_.table_bytes();
  EXPECT_GE(large, 10000 * sizeof(uint64_t));
  EXPECT_LE(large, 10000 * sizeof(uint64_t) * 8);
  for (uint64_t i = 0; i < 10000; ++i) ASSERT_EQ(Find(i), made[i]);
  for (const Number* number : made) shard_.Remove(number);
  EXPECT_EQ(shard_.count(), 0u);
  EXPECT_LE(shard_.table_bytes(), large / 16);
}

TEST_F(InternShardTest, RemovedEntriesAreFreedWhileOthersComeAndGo) {
  const int before = Number::alive;
  for (uint64_t i = 0; i < 10000; ++i) {
    shard_.Remove(Make(i));
    ASSERT_LT(Number::alive - before, 200) << i;
  }
}

TEST_F(InternShardTest, NothingIsFreedWhileAReaderIsActive) {
  const Number* read = Make(1);
  const int before = Number::alive;
  {
    const EpochGuard reader;
    shard_.Remove(read);
    for (uint64_t i = 2; i < 1000; ++i) shard_.Remove(Make(i));
    EXPECT_EQ(read->value, 1u);
    EXPECT_EQ(Number::alive, before + 998);
  }
  for (uint64_t i = 2; i < 4000; ++i) shard_.Remove(Make(i));
  EXPECT_LT(Number::alive, before + 998);
}

}  // namespace
}  // namespace stagedoor
