#include "scene/clips/clip_manifest_builder.h"

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

using Names = ListOp<std::string>;

Path P(std::string_view text) { return *Path::Parse(text); }

Value SampleAt(double time) { return Value::FromSamples(MakeTimeSamples({{time, Value(1.0)}})); }

// A clip whose attributes are at these paths, each with one field.
std::shared_ptr<const Layer> Clip(
    const std::vector<std::tuple<const char*, Token, Value>>& attributes,
    const Value& type = Value(Token("float"))) {
  LayerBuilder layer;
  for (const auto& [path, field, value] : attributes) {
    const SpecId spec = layer.EnsureProperty(P(path), SpecType::kAttribute);
    layer.Set(spec, field, value);
    layer.Set(spec, Fields().typeName, type);
  }
  return std::move(layer).Build({});
}

const Value kSpline = Value(Spline());

std::shared_ptr<const Layer> Build(const ClipManifestBuilder& builder) {
  return builder.Build().Build({});
}

// The value of an attribute's field in the manifest.
Value Field(const Layer& manifest, const char* path, Token field) {
  const SpecId spec = manifest.tree().Find(P(path));
  return spec == kNoSpec ? Value(Token("no spec")) : manifest.Get(spec, field);
}

// The knot times of a spline that consists of blocks; {-1} for anything else.
std::vector<double> BlockedTimes(const Value& value) {
  const Spline* spline = value.Get<Spline>();
  if (!spline) return {-1};
  std::vector<double> times;
  for (const SplineKnot& knot : spline->knots) {
    EXPECT_EQ(knot.next, KnotInterpolation::kValueBlock);
    times.push_back(knot.time);
  }
  return times;
}

TEST(ClipManifestBuilderTest, SplinesAreDeclaredAsSplinesOfTheirType) {
  RequestContext context;
  ClipManifestBuilder builder(context, P("/A"), /*write_blocks=*/false);
  builder.Add(Clip({{"/A.x", Fields().spline, kSpline}}).get(), 0);
  const auto manifest = Build(builder);
  const Value spline = Field(*manifest, "/A.x", Fields().spline);
  ASSERT_TRUE(spline.Is<Spline>());
  EXPECT_EQ(spline.Get<Spline>()->value_type, ValueType::kFloat);
  EXPECT_TRUE(spline.Get<Spline>()->knots.empty());
  EXPECT_TRUE(Field(*manifest, "/A.x", Fields().timeSamples).empty());
  EXPECT_EQ(Field(*manifest, "/A.x", Fields().typeName), Value(Token("float")));
}

TEST(ClipManifestBuilderTest, SplinesOfUnknownTypesAreDeclaredAsDouble) {
  for (const Value& type : {Value(Token("no such type")), Value(1.0)}) {
    RequestContext context;
    ClipManifestBuilder builder(context, P("/A"), /*write_blocks=*/false);
    builder.Add(Clip({{"/A.x", Fields().spline, kSpline}}, type).get(), 0);
    const Value spline = Field(*Build(builder), "/A.x", Fields().spline);
    ASSERT_TRUE(spline.Is<Spline>());
    EXPECT_EQ(spline.Get<Spline>()->value_type, ValueType::kDouble);
  }
}

TEST(ClipManifestBuilderTest, BlockedKnotsMarkClipsWithoutASpline) {
  RequestContext context;
  ClipManifestBuilder builder(context, P("/A"), /*write_blocks=*/true);
  const auto with = Clip({{"/A.x", Fields().spline, kSpline}});
  builder.Add(with.get(), 1);
  builder.Add(nullptr, 2);
  builder.Add(with.get(), 3);
  builder.Add(Clip({}).get(), 4);
  const auto manifest = Build(builder);
  EXPECT_EQ(BlockedTimes(Field(*manifest, "/A.x", Fields().spline)), (std::vector<double>{2, 4}));
}

TEST(ClipManifestBuilderTest, OnlySamplesCountOnceAClipHasSamples) {
  RequestContext context;
  ClipManifestBuilder builder(context, P("/A"), /*write_blocks=*/true);
  builder.Add(Clip({{"/A.x", Fields().spline, kSpline}}).get(), 1);
  builder.Add(Clip({{"/A.x", Fields().timeSamples, SampleAt(1)}}).get(), 2);
  const auto manifest = Build(builder);
  EXPECT_TRUE(Field(*manifest, "/A.x", Fields().spline).empty());
  const Value samples = Field(*manifest, "/A.x", Fields().timeSamples);
  ASSERT_NE(samples.samples(), nullptr);
  ASSERT_EQ(samples.samples()->size(), 1u);
  EXPECT_EQ(samples.samples()->times()[0], 1);
  EXPECT_TRUE(samples.samples()->BlockedAt(0));
}

TEST(ClipManifestBuilderTest, EmptySamplesDoNotCount) {
  RequestContext context;
  ClipManifestBuilder builder(context, P("/A"), /*write_blocks=*/false);
  builder.Add(Clip({{"/A.x", Fields().timeSamples, Value::FromSamples(MakeTimeSamples({}))},
                    {"/A.y", Fields().default_, Value(1.0)}})
                  .get(),
              0);
  const auto manifest = Build(builder);
  EXPECT_EQ(manifest->tree().size(), 1u);
}

TEST(ClipManifestBuilderTest, VariabilityIsThatOfTheFirstClip) {
  RequestContext context;
  ClipManifestBuilder builder(context, P("/A"), /*write_blocks=*/false);
  LayerBuilder clip(*Clip(
      {{"/A.x", Fields().timeSamples, SampleAt(1)}, {"/A.y", Fields().timeSamples, SampleAt(1)}}));
  clip.Set(clip.Find(P("/A.x")), Fields().variability, Value(Variability::kUniform));
  builder.Add(std::move(clip).Build({}).get(), 0);
  builder.Add(Clip({{"/A.x", Fields().timeSamples, SampleAt(1)}}).get(), 1);
  const auto manifest = Build(builder);
  EXPECT_EQ(Field(*manifest, "/A.x", Fields().variability), Value(Variability::kUniform));
  EXPECT_TRUE(Field(*manifest, "/A.y", Fields().variability).empty());
}

TEST(ClipManifestBuilderTest, VariantSetsAreListedOnceInOrder) {
  LayerBuilder layer;
  EnsureAttribute(&layer, P("/A{v=one}{w=two}B.x"));
  EnsureAttribute(&layer, P("/A{v=two}B.x"));
  EnsureAttribute(&layer, P("/A{u=one}.x"));
  const auto names = [&](const char* owner) {
    const Value* value = layer.Get(layer.Find(P(owner)), Fields().variantSetNames);
    return value ? *value : Value();
  };
  Names both, inner;
  both.prepended = {"v", "u"};
  inner.prepended = {"w"};
  EXPECT_EQ(names("/A"), Value(both));
  EXPECT_EQ(names("/A{v=one}"), Value(inner));
  EXPECT_TRUE(names("/A{v=two}B").empty());
}

TEST(ClipManifestBuilderTest, ExistingListsOfVariantSetsAreKept) {
  LayerBuilder layer;
  Names listed;
  listed.prepended = {"first"};
  layer.Set(layer.EnsurePrim(P("/A")), Fields().variantSetNames, Value(listed));
  EnsureAttribute(&layer, P("/A{v=one}.x"));
  listed.prepended.push_back("v");
  EXPECT_EQ(*layer.Get(layer.Find(P("/A")), Fields().variantSetNames), Value(listed));
  // A value that is not a list is replaced.
  layer.Set(layer.EnsurePrim(P("/B")), Fields().variantSetNames, Value(1.0));
  EnsureAttribute(&layer, P("/B{v=one}.x"));
  listed.prepended = {"v"};
  EXPECT_EQ(*layer.Get(layer.Find(P("/B")), Fields().variantSetNames), Value(listed));
}

TEST(ClipManifestBuilderTest, ManifestsNeedThePathOfAPrim) {
  RequestContext context;
  const auto message = [&](Path path) {
    return std::string(GenerateClipManifest(context, {}, path).status().message());
  };
  EXPECT_EQ(message(P("/A")), "");
  EXPECT_EQ(message(P("/A.x")), "a clip manifest needs the absolute path of a prim, not /A.x");
  EXPECT_EQ(message(P("A")), "a clip manifest needs the absolute path of a prim, not A");
  EXPECT_EQ(message(P("/")), "a clip manifest needs the absolute path of a prim, not /");
  EXPECT_EQ(message(Path()),
            "a clip manifest needs the absolute path of a prim, not an empty path");
}

TEST(ClipManifestBuilderTest, ManifestsAreChargedToTheRequest) {
  LayerBuilder many;
  for (int i = 0; i < 2000; ++i) {
    const SpecId spec = many.EnsureProperty(P("/A.x" + std::to_string(i)), SpecType::kAttribute);
    many.Set(spec, Fields().timeSamples, SampleAt(1));
  }
  const std::vector<std::shared_ptr<const Layer>> layers = {std::move(many).Build({})};
  const auto code = [&](RequestLimits limits) {
    RequestContext context(RequestContext::Clock::time_point::max(), limits);
    return GenerateClipManifest(context, layers, P("/A")).status().code();
  };
  EXPECT_EQ(code({}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.max_steps = 20000}), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code({.max_steps = 33000}), absl::StatusCode::kResourceExhausted) << "writing it";
  EXPECT_EQ(code({.max_steps = 40000}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.max_bytes = 1 << 17}), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code({.max_bytes = 1 << 20}), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace stagedoor
