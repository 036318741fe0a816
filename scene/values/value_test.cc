#include "scene/values/value.h"

#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/values/array_edit.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"

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

TEST(ValueTest, HoldsTypesThatDoNotFitInline) {
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
    const Half h = std::bit_cast<Half>(static_cast<uint16_t>(bits));
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

TEST(TimeSamplesTest, FindsTheLastSampleAtOrBeforeATime) {
  const auto samples = MakeTimeSamples({{1, Value(10)}, {2, Value(20)}, {4, Value(40)}});
  for (const auto& [time, index] :
       {std::pair(0.9, -1), {1.0, 0}, {1.9, 0}, {2.0, 1}, {3.9, 1}, {4.0, 2}, {99.0, 2}}) {
    EXPECT_EQ(samples->LastAtOrBefore(time), index) << time;
  }
  EXPECT_EQ(MakeTimeSamples({})->LastAtOrBefore(1), -1);
}

TEST(TimeSamplesTest, AreEqualIfAllTimesAndValuesAre) {
  using Samples = std::vector<std::pair<double, Value>>;
  const Samples samples = {{1, Value(10)}, {2, Value(20)}, {3, Value(30)}};
  const auto same = [&](Samples others) {
    return *MakeTimeSamples(samples) == *MakeTimeSamples(std::move(others));
  };
  EXPECT_TRUE(same(samples));
  EXPECT_FALSE(same({{1, Value(10)}, {2, Value(20)}}));
  EXPECT_FALSE(same({{1, Value(10)}, {2.5, Value(20)}, {3, Value(30)}}));
  EXPECT_FALSE(same({{1, Value(11)}, {2, Value(20)}, {3, Value(30)}}));
  EXPECT_FALSE(same({{1, Value(10)}, {2, Value(20)}, {3, Value(31)}}));
}

TEST(TimeSamplesTest, KnowBlocksAndEdits) {
  const auto samples = MakeTimeSamples({{1, Value(10)}, {2, Value(ValueBlock())}});
  EXPECT_FALSE(samples->BlockedAt(0));
  EXPECT_TRUE(samples->BlockedAt(1));
  EXPECT_FALSE(samples->MayHoldEdits());
  EXPECT_TRUE(MakeTimeSamples({{1, Value(10)}, {2, Value(ArrayEdit{ValueType::kInt, {}})}})
                  ->MayHoldEdits());
}

TEST(ValueTest, EqualityComparesTypes) {
  const Value values[] = {
      Value(),
      Value(1),
      Value(1.0),
      Value(Array<int>{1}),
      Value(Array<int>()),
      Value(Array<double>{1}),
      Value(std::string("1")),
      Value(Token("1")),
      Value(ValueBlock()),
      Value::Invalid("1"),
      Value::Invalid("2"),
      Value::FromSamples(MakeTimeSamples({{1, Value(1)}})),
      Value::FromSamples(MakeTimeSamples({{1, Value(2)}})),
      Value::FromSamples(MakeTimeSamples({{2, Value(1)}})),
      Value(ListOp<int>::Explicit({1})),
      Value(ListOp<int>::Prepended({1})),
  };
  for (size_t i = 0; i < std::size(values); ++i) {
    for (size_t j = 0; j < std::size(values); ++j) {
      EXPECT_EQ(values[i] == values[j], i == j) << i << " " << j;
    }
  }
}

TEST(ValueTest, TypesHaveNames) {
  EXPECT_EQ(ValueTypeKeyword(ValueType::kEmpty), "no value");
  EXPECT_EQ(ValueTypeKeyword(ValueType::kInvalid), "invalid");
  EXPECT_EQ(ValueTypeKeyword(ValueType::kTimeSamples), "timeSamples");
  EXPECT_EQ(ValueTypeKeyword(ValueType::kInt), "int");
  EXPECT_EQ(ValueTypeKeyword(ValueType::kDictionary), "Dictionary");
  EXPECT_EQ(ValueTypeKeyword(ValueType::kTokenListOp), "TokenListOp");
}

TEST(ValueTest, CanBeAssignedToItself) {
  Value text(std::string("a text that is not held inline"));
  const Value& same = text;
  text = same;
  EXPECT_EQ(*text.Get<std::string>(), "a text that is not held inline");
  text = Value(Array<int>{1, 2});
  text = same;
  EXPECT_EQ(text, Value(Array<int>{1, 2}));
}

TEST(LayerOffsetTest, IsValidIfTimesKeepTheirOrder) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(LayerOffset().IsValid());
  EXPECT_TRUE((LayerOffset{-5, 0.5}).IsValid());
  for (const LayerOffset& bad : {LayerOffset{kInf, 1}, LayerOffset{NAN, 1}, LayerOffset{0, kInf},
                                 LayerOffset{0, NAN}, LayerOffset{0, 0}, LayerOffset{0, -1}}) {
    EXPECT_FALSE(bad.IsValid()) << bad.offset << " " << bad.scale;
  }
  EXPECT_FALSE((LayerOffset{1, 2}) == (LayerOffset{1, 3}));
  EXPECT_FALSE((LayerOffset{1, 2}) == (LayerOffset{2, 2}));
}

TEST(HalfTest, RoundsAndKeepsNan) {
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(NAN))));
  EXPECT_EQ(static_cast<float>(Half(65519.0f)), 65504.0f);
  EXPECT_TRUE(std::isinf(static_cast<float>(Half(65520.0f))));
  EXPECT_EQ(Half(-0.0f).bits(), 0x8000);
  EXPECT_EQ(Half(0x1p-24f).bits(), 1);
  EXPECT_EQ(Half(0x1p-25f).bits(), 0);
}

TEST(ListOpTest, HasEditsIfItChangesOrReplacesTheList) {
  using Ints = ListOp<int>;
  EXPECT_FALSE(Ints().HasEdits());
  EXPECT_TRUE(Ints::Explicit({}).HasEdits());
  EXPECT_TRUE(Ints::Prepended({1}).HasEdits());
  for (std::vector<int> Ints::*list :
       {&Ints::appended, &Ints::deleted, &Ints::added, &Ints::ordered}) {
    Ints op;
    op.*list = {1};
    EXPECT_TRUE(op.HasEdits());
    EXPECT_EQ(op.size(), 1u);
    EXPECT_FALSE(op == Ints());
  }
}

TEST(ListOpTest, DuplicateItemsAreDropped) {
  ListOp<int> op;
  op.added = {2, 3, 3};
  op.prepended = {5, 6, 5};
  op.appended = {7, 8, 7};
  std::vector<int> items = {1, 2, 5, 7};
  op.ApplyTo(&items);
  EXPECT_EQ(items, (std::vector<int>{5, 6, 1, 2, 3, 8, 7}));
  op = {};
  op.ordered = {1};
  items.clear();
  op.ApplyTo(&items);
  EXPECT_TRUE(items.empty());
}

TEST(TimeSamplesTest, NanTimesAreDropped) {
  const auto samples = MakeTimeSamples({{1, Value(1)}, {NAN, Value(2)}, {3, Value(3)}});
  EXPECT_EQ(samples->times_array(), (Array<double>{1, 3}));
  EXPECT_EQ(samples->At(1), Value(3));
}

}  // namespace
}  // namespace stagedoor
