#include "scene/values/value.h"

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "gtest/gtest.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

TEST(ValueTest, HoldsScalarsByType) {
  const Value v(1.5f);
  ASSERT_TRUE(v.Is<float>());
  EXPECT_EQ(*v.Get<float>(), 1.5f);
  EXPECT_EQ(v.Get<double>(), nullptr);
  EXPECT_EQ(v.Get<Array<float>>(), nullptr);
  EXPECT_TRUE(Value().empty());
}

TEST(ValueTest, CopiesOfArraysShareTheBuffer) {
  const Value a(Array<Vec3f>{{1, 2, 3}, {4, 5, 6}});
  const Value b = a;
  ASSERT_TRUE(b.Is<Array<Vec3f>>());
  EXPECT_EQ(a.Get<Array<Vec3f>>()->data(), b.Get<Array<Vec3f>>()->data());
  EXPECT_EQ(b.Get<Vec3f>(), nullptr);
  EXPECT_EQ(a, b);
}

TEST(ValueTest, HoldsWhatDoesNotFitInline) {
  Value v(Matrix4d::Identity());
  Value copy = v;
  v = Value(std::string("text"));
  EXPECT_EQ((*copy.Get<Matrix4d>())[2][2], 1);
  EXPECT_EQ(*v.Get<std::string>(), "text");
  v = std::move(copy);
  EXPECT_TRUE(v.Is<Matrix4d>());
  EXPECT_TRUE(copy.empty());  // NOLINT: moved-from values are empty
}

TEST(ValueTest, InvalidCarriesItsReason) {
  const Value v = Value::Invalid("a.usdc: value at offset 8 lies outside of the file");
  EXPECT_TRUE(v.is_invalid());
  EXPECT_EQ(v.invalid_reason(), "a.usdc: value at offset 8 lies outside of the file");
}

TEST(ValueTest, EqualityComparesContents) {
  EXPECT_EQ(Value(std::vector<Token>{Token("a")}), Value(std::vector<Token>{Token("a")}));
  EXPECT_FALSE(Value(1) == Value(1.0));
  EXPECT_FALSE(Value(NAN) == Value(NAN));
  EXPECT_EQ(Value(ValueBlock()), Value(ValueBlock()));
}

TEST(HalfTest, ConvertsBothWays) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const Half h = Half::FromBits(static_cast<uint16_t>(bits));
    const float f = h;
    if (f != f) continue;
    EXPECT_EQ(Half(f).bits(), bits) << bits;
  }
  EXPECT_EQ(float(Half(1e6f)), INFINITY);
  EXPECT_EQ(float(Half(65504.0f)), 65504.0f);
}

TEST(DictionaryTest, OverMergesNestedDictionaries) {
  Dictionary weak_inner, strong_inner, weak, strong;
  weak_inner.Set("x", Value(1));
  weak_inner.Set("y", Value(2));
  strong_inner.Set("x", Value(10));
  weak.Set("d", Value(weak_inner));
  weak.Set("only", Value(3));
  strong.Set("d", Value(strong_inner));
  const Dictionary both = Dictionary::Over(strong, weak);
  EXPECT_EQ(*both.FindByKeyPath("d:x"), Value(10));
  EXPECT_EQ(*both.FindByKeyPath("d:y"), Value(2));
  EXPECT_EQ(*both.Find("only"), Value(3));
}

TEST(ListOpTest, AppliesInOrder) {
  ListOp<int> op;
  op.deleted = {1};
  op.prepended = {3, 9};
  op.appended = {2};
  std::vector<int> items = {1, 2, 3, 4};
  op.ApplyTo(&items);
  EXPECT_EQ(items, (std::vector<int>{3, 9, 4, 2}));
  ListOp<int>::Explicit({7, 7, 8}).ApplyTo(&items);
  EXPECT_EQ(items, (std::vector<int>{7, 8}));
}

TEST(TimeSamplesTest, SortsAndKeepsTheLastOfEqualTimes) {
  const auto samples = MakeTimeSamples({{2, Value(20)}, {1, Value(10)}, {2, Value(21)}});
  ASSERT_EQ(samples->size(), 2u);
  EXPECT_EQ(samples->At(1), Value(21));
  EXPECT_EQ(samples->LastAtOrBefore(0.5), -1);
  EXPECT_EQ(samples->LastAtOrBefore(1.5), 0);
  EXPECT_EQ(samples->LastAtOrBefore(9), 1);
}

TEST(Dictionary, MergingAllAtOnceIsMergingOneByOne) {
  const auto number = [](int i) { return Value(static_cast<int32_t>(i)); };
  std::vector<Dictionary> all;
  for (int i = 0; i < 6; ++i) {
    Dictionary inner, outer;
    inner.Set("k" + std::to_string(i % 3), number(i));
    inner.Set("deep", i % 2 == 0 ? Value(inner) : number(i));
    outer.Set("a", i == 2 ? number(i) : Value(inner));
    outer.Set("b", i < 3 ? number(i) : Value(inner));
    outer.Set("only" + std::to_string(i), number(i));
    all.push_back(outer);
  }
  RequestContext context;
  Dictionary folded = all[0];
  std::vector<const Dictionary*> strongest_first = {&all[0]};
  for (size_t i = 1; i < all.size(); ++i) {
    folded = Dictionary::Over(folded, all[i]);
    strongest_first.push_back(&all[i]);
    EXPECT_EQ(Dictionary::Merge(context, strongest_first), folded) << i;
  }
}

// Of few keys, so that many meet, with dictionaries in some places.
Dictionary RandomDictionary(std::mt19937& random, int levels) {
  Dictionary result;
  const uint32_t size = random() % 6;
  for (uint32_t i = 0; i < size; ++i) {
    const std::string key(1 + random() % 2, static_cast<char>('a' + random() % 4));
    const bool nested = levels > 0 && random() % 2 == 0;
    result.Set(key, nested ? Value(RandomDictionary(random, levels - 1))
                           : Value(static_cast<int32_t>(random() % 1000)));
  }
  return result;
}

TEST(Dictionary, MergingRandomOnesIsMergingOneByOne) {
  std::mt19937 random(7);
  RequestContext context;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Dictionary> all(random() % 10);
    Dictionary folded;
    std::vector<const Dictionary*> strongest_first;
    for (Dictionary& one : all) {
      one = RandomDictionary(random, 3);
      folded = strongest_first.empty() ? one : Dictionary::Over(folded, one);
      strongest_first.push_back(&one);
    }
    ASSERT_EQ(Dictionary::Merge(context, strongest_first), folded) << round;
  }
}

// That many dictionaries, none of which has a key of another.
std::vector<Dictionary> WithKeysOfTheirOwn(int count, int size) {
  std::vector<Dictionary> all;
  for (int i = 0; i < count; ++i) {
    std::vector<Dictionary::Entry> entries;
    for (int k = 0; k < size; ++k) {
      entries.emplace_back(std::to_string(k) + "/" + std::to_string(i), Value(k));
    }
    all.push_back(Dictionary::FromEntries(std::move(entries)));
  }
  return all;
}

Dictionary MergeAll(RequestContext& context, const std::vector<Dictionary>& all) {
  std::vector<const Dictionary*> strongest_first;
  for (const Dictionary& one : all) strongest_first.push_back(&one);
  return Dictionary::Merge(context, strongest_first);
}

TEST(Dictionary, MergingManyIsNotLookingAtEachAgainAndAgain) {
  RequestContext context;
  constexpr size_t kEntries = 256 * 100;
  EXPECT_EQ(MergeAll(context, WithKeysOfTheirOwn(256, 100)).size(), kEntries);
  // Read, put in order by halves, joined; one by one it would be 128 times as many.
  EXPECT_GE(context.steps(), kEntries * 9);
  EXPECT_LE(context.steps(), kEntries * 12);
  EXPECT_EQ(context.reserved_bytes(), 0u);
}

TEST(Dictionary, MergingEndsWithTheRequest) {
  constexpr auto kNoDeadline = RequestContext::Clock::time_point::max();
  const std::vector<Dictionary> all = WithKeysOfTheirOwn(64, 1000);
  // While they are read, put in order, joined.
  for (const uint64_t most : {10000, 100000, 480000}) {
    RequestContext few(kNoDeadline, {.max_steps = most});
    MergeAll(few, all);
    EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted) << most;
    EXPECT_LT(few.steps(), most + 3 * Pacer::kStride) << most;
  }
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_TRUE(MergeAll(cancelled, all).empty());
  RequestContext little(kNoDeadline, {.max_bytes = 100000});
  MergeAll(little, all);
  EXPECT_EQ(little.Check().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Dictionary, LongKeysAreMoreWork) {
  std::vector<Dictionary> all(2);
  for (Dictionary& one : all) one.Set(std::string(1 << 20, 'k'), Value(1));
  RequestContext context;
  EXPECT_EQ(MergeAll(context, all).size(), 1u);
  EXPECT_GE(context.steps(), 4096u);
}

}  // namespace
}  // namespace stagedoor
