#include "scene/values/value.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
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

}  // namespace
}  // namespace stagedoor
