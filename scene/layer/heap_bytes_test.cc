#include "scene/layer/heap_bytes.h"

#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/values/array.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

const std::string kLong(1000, 'x');

// Allows for a tenth more, because strings may reserve more than their length.
void ExpectAbout(const Value& value, size_t least) {
  EXPECT_GE(HeapBytes(value), least);
  EXPECT_LE(HeapBytes(value), least + least / 10);
}

TEST(HeapBytesTest, ScalarsHaveNoHeapMemory) {
  for (const Value& value : {Value(), Value(1), Value(2.0), Value(Token("t")), Value(true)}) {
    EXPECT_EQ(HeapBytes(value), 0u);
  }
}

TEST(HeapBytesTest, MatricesCountAsTheLargestOne) {
  for (const Value& value : {Value(Matrix<2>()), Value(Matrix<3>()), Value(Matrix<4>())}) {
    EXPECT_EQ(HeapBytes(value), 16 * sizeof(double));
  }
}

TEST(HeapBytesTest, ArraysCountTheirElements) {
  EXPECT_EQ(HeapBytes(Value(Array<double>::FromVector({1, 2, 3}))), 24u);
  EXPECT_EQ(HeapBytes(Value(Array<Vec<float, 3>>::FromVector({{1, 2, 3}, {4, 5, 6}}))), 24u);
  EXPECT_EQ(HeapBytes(Value(Array<double>())), 0u);
}

TEST(HeapBytesTest, StringsCountIfTheyAreNotInline) {
  EXPECT_EQ(HeapBytes(Value(std::string("short"))), sizeof(std::string));
  EXPECT_EQ(HeapBytes(Value(std::string(15, 'x'))), sizeof(std::string));
  EXPECT_GT(HeapBytes(Value(std::string(17, 'x'))), sizeof(std::string) + 16);
  ExpectAbout(Value(kLong), sizeof(std::string) + 1000);
  EXPECT_EQ(HeapBytes(Value(Array<std::string>::FromVector({"a", "b"}))), 2 * sizeof(std::string));
  ExpectAbout(Value(Array<std::string>::FromVector({kLong, "b"})), 2 * sizeof(std::string) + 1000);
  ExpectAbout(Value(PathExpressionValue{kLong}), sizeof(PathExpressionValue) + 1000);
}

TEST(HeapBytesTest, AssetPathsCountThreeStrings) {
  ExpectAbout(Value(AssetPath{.authored = kLong, .evaluated = kLong, .resolved = kLong}),
              sizeof(AssetPath) + 3000);
}

TEST(HeapBytesTest, DictionariesCountKeysAndValuesAtAnyDepth) {
  Dictionary inner, outer;
  inner.Set("a", Value(kLong));
  outer.Set(kLong, Value(1));
  outer.Set("inner", Value(inner));
  const size_t entry = sizeof(std::string) + sizeof(Value);
  ExpectAbout(Value(outer), 3 * entry + 1000 + sizeof(std::string) + 1000);
  EXPECT_EQ(HeapBytes(Value(Dictionary())), 0u);
}

TEST(HeapBytesTest, ListOpsCountAllTheirLists) {
  ListOp<int32_t> op;
  EXPECT_EQ(HeapBytes(Value(op)), sizeof(op));
  op.explicit_items = op.prepended = op.appended = op.deleted = op.added = op.ordered = {1, 2};
  EXPECT_EQ(HeapBytes(Value(op)), sizeof(op) + 12 * sizeof(int32_t));
  ExpectAbout(Value(ListOp<std::string>::Explicit({kLong})),
              sizeof(ListOp<std::string>) + sizeof(std::string) + 1000);
  Reference reference{.asset = kLong};
  reference.custom_data.Set("k", Value(kLong));
  ExpectAbout(Value(ListOp<Reference>::Explicit({reference})),
              sizeof(ListOp<Reference>) + sizeof(Reference) + 1000 + 2 * sizeof(std::string) +
                  sizeof(Value) + 1000);
  ExpectAbout(Value(ListOp<Payload>::Explicit({{.asset = kLong}})),
              sizeof(ListOp<Payload>) + sizeof(Payload) + 1000);
}

TEST(HeapBytesTest, SamplesCountTimesAndValues) {
  const auto samples = MakeTimeSamples(
      {{1, Value(Array<double>::FromVector({1, 2}))}, {2, Value(Array<double>::FromVector({3}))}});
  EXPECT_EQ(HeapBytes(Value::FromSamples(samples)),
            2 * (sizeof(double) + sizeof(Value)) + 3 * sizeof(double));
}

class SamplesOnDemand final : public TimeSamples {
 public:
  SamplesOnDemand() : TimeSamples(Array<double>{1, 2}) {}
  Value At(size_t) const override {
    ADD_FAILURE() << "a sample was decoded";
    return Value();
  }
  Value Between(size_t i, double) const override { return At(i); }
  bool MayHoldEdits() const override { return false; }
};

TEST(HeapBytesTest, OfSamplesOnDemandOnlyTheTimesCount) {
  EXPECT_EQ(HeapBytes(Value::FromSamples(MakeRef<SamplesOnDemand>())), 2 * sizeof(double));
}

TEST(HeapBytesTest, WhatOthersKeepIsNotOwn) {
  const Value array(Array<double>{1, 2});
  const Value samples = Value::FromSamples(MakeTimeSamples({{1, Value(2.0)}}));
  for (const Value& value : {std::cref(array), std::cref(samples)}) {
    EXPECT_EQ(OwnHeapBytes(value), HeapBytes(value));
    const Value shared = value;
    EXPECT_EQ(OwnHeapBytes(value), 0u);
  }
  static constexpr double kNumbers[] = {1, 2};
  EXPECT_EQ(OwnHeapBytes(Value(Array<double>::View(kNumbers, 2, {}))), 0u);
  EXPECT_EQ(OwnHeapBytes(Value(kLong)), HeapBytes(Value(kLong)));
}

TEST(HeapBytesTest, SplinesCountKnotsAndTheirData) {
  Spline spline;
  spline.knots.resize(3);
  EXPECT_EQ(HeapBytes(Value(spline)), sizeof(Spline) + 3 * sizeof(SplineKnot));
  spline.knots[1].custom_data.Set("k", Value(1));
  EXPECT_EQ(HeapBytes(Value(spline)),
            sizeof(Spline) + 3 * sizeof(SplineKnot) + sizeof(std::string) + sizeof(Value));
}

TEST(HeapBytesTest, UnregisteredValuesCountTheHeldValue) {
  ExpectAbout(Value(UnregisteredValue{Value(kLong)}), sizeof(std::string) + 1000);
}

}  // namespace
}  // namespace stagedoor
