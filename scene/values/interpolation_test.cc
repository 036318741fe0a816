// Expected bits were recorded from UsdAttribute::Get between two samples.
#include "scene/values/interpolation.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/lerp_kernels.h"
#include "scene/values/matrix.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/quat_math.h"
#include "scene/values/retiming.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

TEST(InterpolationTest, LinearTypes) {
  for (const ValueType type :
       {ValueType::kHalf, ValueType::kFloat, ValueType::kDouble, ValueType::kTimeCode,
        ValueType::kVec3h, ValueType::kVec2d, ValueType::kQuatf, ValueType::kMatrix3d}) {
    EXPECT_TRUE(InterpolatesLinearly(type)) << ValueTypeKeyword(type);
  }
  for (const ValueType type :
       {ValueType::kBool, ValueType::kInt, ValueType::kVec3i, ValueType::kString,
        ValueType::kAssetPath, ValueType::kToken, ValueType::kEmpty, ValueType::kValueBlock}) {
    EXPECT_FALSE(InterpolatesLinearly(type)) << ValueTypeKeyword(type);
  }
}

TEST(InterpolationTest, Scalars) {
  EXPECT_EQ(Interpolate(Value(1.0), Value(3.0), 0.25), Value(1.5));
  EXPECT_EQ(Interpolate(Value(TimeCodeValue{1}), Value(TimeCodeValue{2}), 0.25),
            Value(TimeCodeValue{1.25}));
  EXPECT_EQ(Interpolate(Value(Half(1)), Value(Half(5)), 0.33), Value(Half(2.3203125f)));
  EXPECT_EQ(
      Interpolate(Value(MakeQuat(1.f, 0.f, 0.f, 0.f)), Value(MakeQuat(.6f, .8f, 0.f, 0.f)), .25),
      Value(MakeQuat(0.9732489585876465f, 0.22975292801856995f, 0.f, 0.f)));
  EXPECT_EQ(Interpolate(Value(Matrix2d{{{1, 0}, {0, 1}}}), Value(Matrix2d{{{3, 0}, {0, 3}}}), 0.5),
            Value(Matrix2d{{{2, 0}, {0, 2}}}));
}

TEST(InterpolationTest, OtherTypesAreHeld) {
  EXPECT_EQ(Interpolate(Value(1), Value(3), 0.5), Value(1));
  EXPECT_EQ(Interpolate(Value(Vec2i{1, 1}), Value(Vec2i{5, 5}), 0.5), Value(Vec2i{1, 1}));
  EXPECT_EQ(Interpolate(Value(1.0), Value(ValueBlock()), 0.5), Value(1.0));
  EXPECT_EQ(Interpolate(Value(1.0), Value(3.0f), 0.5), Value(1.0));
  const Value two(Array<float>{1, 2});
  EXPECT_EQ(Interpolate(two, Value(Array<float>{1, 2, 3}), 0.5), two);
  EXPECT_EQ(Interpolate(two, Value(3.0f), 0.5), two);
}

TEST(InterpolationTest, EndsShareTheBuffer) {
  const Value a(Array<float>{1, 2});
  const Value b(Array<float>{3, 4});
  EXPECT_EQ(Interpolate(a, b, 0).array()->raw_data(), a.array()->raw_data());
  EXPECT_EQ(Interpolate(a, b, 1).array()->raw_data(), b.array()->raw_data());
}

// On every instruction set, arrays of every length must equal the plain formula to the last bit.
TEST(InterpolationTest, KernelsMatchThePlainFormula) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> number(-100, 100);
  for (size_t n = 0; n < 70; ++n) {
    std::vector<float> a(n), b(n), out(n);
    std::vector<double> da(n), db(n), dout(n);
    for (size_t i = 0; i < n; ++i) {
      a[i] = number(random);
      b[i] = number(random);
      da[i] = a[i] * 1.1;
      db[i] = b[i] * 1.3;
    }
    const double alpha = n / 71.0;
    LerpFloats(a, b, alpha, LerpRounding::kOnce, out);
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(out[i], static_cast<float>((1 - alpha) * a[i] + alpha * b[i]));
    }
    LerpFloats(a, b, alpha, LerpRounding::kEachFactor, out);
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(out[i], static_cast<float>((1 - alpha) * a[i]) + static_cast<float>(alpha * b[i]));
    }
    LerpDoubles(da, db, alpha, dout);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(dout[i], (1 - alpha) * da[i] + alpha * db[i]);
  }
}

TEST(InterpolationTest, HalvesAreRoundedAtEveryStep) {
  for (const size_t n : {1, 2, 5, 6, 100}) {
    std::vector<Vec3h> a(n), b(n);
    for (size_t i = 0; i < n; ++i) {
      const float x = static_cast<float>(i);
      a[i] = {Half(0.37f * x), Half(-1000 + x), Half(1e-6f * x)};
      b[i] = {Half(70000 * x), Half(3 - x), Half(-0.125f)};
    }
    for (const double alpha : {0.25, 1.0 / 3, 0.9}) {
      const Value mixed =
          Interpolate(Value(Array<Vec3h>::Copy(a)), Value(Array<Vec3h>::Copy(b)), alpha);
      const auto* halves = mixed.Get<Array<Vec3h>>();
      ASSERT_TRUE(halves && halves->size() == n);
      for (size_t i = 0; i < n; ++i) {
        const Vec3h expected = (1 - alpha) * a[i] + alpha * b[i];
        for (int c = 0; c < 3; ++c) EXPECT_EQ((*halves)[i][c].bits(), expected[c].bits()) << n << i;
      }
    }
  }
}

TEST(RetimeTest, MapsTimeCodesAtAnyDepth) {
  const LayerOffset offset{10, 2};
  EXPECT_EQ(Retime(Value(TimeCodeValue{3}), offset), Value(TimeCodeValue{16}));
  EXPECT_EQ(Retime(Value(Array<TimeCodeValue>{{1}, {2}}), offset),
            Value(Array<TimeCodeValue>{{12}, {14}}));
  EXPECT_EQ(Retime(Value(Duration{3}), offset), Value(Duration{6}));
  EXPECT_EQ(Retime(Value(3.0), offset), Value(3.0));
  Dictionary inner, outer;
  inner.Set("t", Value(TimeCodeValue{1}));
  inner.Set("x", Value(1.0));
  outer.Set("inner", Value(inner));
  const Value retimed = Retime(Value(outer), offset);
  EXPECT_EQ(*retimed.Get<Dictionary>()->FindByKeyPath("inner:t"), Value(TimeCodeValue{12}));
  EXPECT_EQ(*retimed.Get<Dictionary>()->FindByKeyPath("inner:x"), Value(1.0));
}

TEST(RetimeTest, MapsTimesOfSamplesAndSplines) {
  const auto samples = Value::FromSamples(MakeTimeSamples({{1, Value(TimeCodeValue{4})}}));
  const Value retimed = Retime(samples, {10, 2});
  EXPECT_EQ(retimed.samples()->times()[0], 12);
  EXPECT_EQ(retimed.samples()->At(0), Value(TimeCodeValue{18}));
  Spline spline;
  spline.knots.push_back({.time = 3});
  EXPECT_EQ(Retime(Value(spline), {10, 2}).Get<Spline>()->knots[0].time, 16);
}

TEST(RetimeTest, DurationsAreScaledButNotMoved) {
  const LayerOffset offset{10, 2};
  EXPECT_EQ(Retime(Value(Duration{3}), offset), Value(Duration{6}));
  EXPECT_EQ(Retime(Value(TimeCodeValue{3}), offset), Value(TimeCodeValue{16}));
  EXPECT_EQ(Retime(Value(Array<Duration>{Duration{3}, Duration{-1}}), offset),
            Value(Array<Duration>{Duration{6}, Duration{-2}}));
  EXPECT_EQ(Retime(Value(Array<TimeCodeValue>{TimeCodeValue{3}}), offset),
            Value(Array<TimeCodeValue>{TimeCodeValue{16}}));
  EXPECT_EQ(Retime(Value(3.0), offset), Value(3.0));
  EXPECT_EQ(Retime(Value(TimeCodeValue{3}), LayerOffset()), Value(TimeCodeValue{3}));
}

TEST(RetimeTest, MapsItemsOfArrayEdits) {
  const ArrayEdit edit{ValueType::kTimeCode,
                       {{.kind = ArrayEditStep::Kind::kAppend, .literal = Value(TimeCodeValue{3})},
                        {.kind = ArrayEditStep::Kind::kErase, .index = 1}}};
  ArrayEdit expected = edit;
  expected.steps[0].literal = Value(TimeCodeValue{16});
  EXPECT_EQ(Retime(Value(edit), {10, 2}), Value(expected));
}

TEST(RetimeTest, KnowsWhichTypesHoldTimes) {
  for (const Value& value :
       {Value(TimeCodeValue{1}), Value(Duration{1}), Value(Array<TimeCodeValue>{TimeCodeValue{1}}),
        Value(Dictionary()), Value(Spline()), Value(ArrayEdit()),
        Value::FromSamples(MakeTimeSamples({{1, Value(1)}}))}) {
    EXPECT_TRUE(HoldsTimes(value)) << ValueTypeKeyword(value.type());
  }
  for (const Value& value : {Value(), Value(1.0), Value(ValueBlock()), Value(Token("a"))}) {
    EXPECT_FALSE(HoldsTimes(value)) << ValueTypeKeyword(value.type());
  }
}

TEST(InterpolationTest, EmptyArraysInterpolate) {
  const Value empty{Array<float>()};
  EXPECT_EQ(Interpolate(empty, empty, 0.5), empty);
}

}  // namespace
}  // namespace stagedoor
