#include "scene/values/value.h"

#include <cmath>

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
  Dictionary folded = all[0];
  std::vector<const Dictionary*> strongest_first = {&all[0]};
  for (size_t i = 1; i < all.size(); ++i) {
    folded = Dictionary::Over(folded, all[i]);
    strongest_first.push_back(&all[i]);
    EXPECT_EQ(Dictionary::Merge(strongest_first), folded) << i;
  }
}

}  // namespace
}  // namespace stagedoor
