#include "scene/layer/compact_layer_builder.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "scene/layer/field_keys.h"
#include "scene/values/memory_time_samples.h"

namespace stagedoor {
namespace {

Value Floats(size_t count) { return Value(Array<float>::FromVector(std::vector<float>(count))); }

TEST(SpecFieldsTest, SetReplacesAndIgnoresEmptyValues) {
  SpecFields fields;
  fields.Set(Fields().comment, Value(std::string("a")));
  fields.Set(Fields().comment, Value(std::string("b")));
  fields.Set(Fields().comment, Value());
  ASSERT_NE(fields.Get(Fields().comment), nullptr);
  EXPECT_EQ(*fields.Get(Fields().comment), Value(std::string("b")));
  EXPECT_EQ(fields.Get(Fields().hidden), nullptr);
  fields.Clear();
  EXPECT_EQ(fields.Get(Fields().comment), nullptr);
}

TEST(CompactLayerBuilderTest, BuildsTheSpecsWithTheirLastFields) {
  RequestContext context;
  CompactLayerBuilder builder(context, "layer");
  const SpecId a = builder.Add(kRootSpec, SpecType::kPrim, Token("A"));
  SpecFields fields;
  fields.Set(Fields().comment, Value(std::string("first")));
  builder.Put(a, &fields);
  EXPECT_EQ(fields.Get(Fields().comment), nullptr) << "the fields were moved";
  const SpecId b = builder.Add(a, SpecType::kPrim, Token("B"));
  fields.Set(Fields().hidden, Value(true));
  builder.Put(b, &fields);
  builder.Get(a, &fields);
  fields.Set(Fields().comment, Value(std::string("second")));
  builder.Put(a, &fields);

  const auto layer = builder.Build({.format = "usda", .anonymous = true});
  ASSERT_TRUE(layer.ok()) << layer.status();
  const SpecTree& tree = (*layer)->tree();
  const SpecId prim = tree.FindPrim(kRootSpec, Token("A"));
  ASSERT_NE(prim, kNoSpec);
  EXPECT_EQ((*layer)->GetAs<std::string>(prim, Fields().comment), "second");
  const SpecId child = tree.FindPrim(prim, Token("B"));
  ASSERT_NE(child, kNoSpec);
  EXPECT_EQ((*layer)->GetAs<bool>(child, Fields().hidden), true);
}

TEST(CompactLayerBuilderTest, ReservesMemoryAndKeepsItForTheLayer) {
  RequestContext context;
  constexpr size_t kCount = size_t{1} << 20;
  Reservation kept;
  {
    CompactLayerBuilder builder(context, "layer");
    SpecFields fields;
    fields.Set(Fields().default_, Floats(kCount));
    builder.Put(builder.Add(kRootSpec, SpecType::kPrim, Token("A")), &fields);
    std::vector<std::pair<double, Value>> samples;
    samples.emplace_back(1, Floats(kCount));
    builder.CountSample(samples.back().second);
    const size_t before = builder.bytes();
    fields.Set(Fields().timeSamples, Value::FromSamples(MakeTimeSamples(std::move(samples))));
    builder.Put(builder.Add(kRootSpec, SpecType::kPrim, Token("B")), &fields);
    EXPECT_LT(builder.bytes() - before, kCount) << "a sample is counted once";
    ASSERT_TRUE(builder.Build({}).ok());
    kept = builder.TakeReservation();
  }
  EXPECT_GE(kept.bytes(), 2 * kCount * sizeof(float));
  EXPECT_EQ(context.reserved_bytes(), kept.bytes());
}

TEST(CompactLayerBuilderTest, EndsTheRequestIfMemoryIsRefused) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = 1 << 20});
  CompactLayerBuilder builder(context, "frame as a layer");
  SpecFields fields;
  fields.Set(Fields().default_, Floats(size_t{1} << 20));
  builder.Put(builder.Add(kRootSpec, SpecType::kPrim, Token("A")), &fields);
  EXPECT_TRUE(context.failed());
  const auto layer = builder.Build({});
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(layer.status().message().find("frame as a layer"), std::string::npos) << layer.status();
}

}  // namespace
}  // namespace stagedoor
