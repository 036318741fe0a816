#include "scene/value_resolution/attribute_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "scene/testing/test_scene.h"
#include "scene/values/time_code_value.h"

namespace stagedoor {
namespace {

using Times = std::vector<double>;
using Pair = std::pair<double, double>;

constexpr double kInf = std::numeric_limits<double>::infinity();

class AttributeSourceTest : public ::testing::Test {
 protected:
  // The source of /P.x in "/root.usda".
  AttributeSource Compile() {
    stage_ = scene_.Open("root.usda");
    return Attribute(stage_->FindProperty(P("/P.x"))).Compile(scene_.context());
  }
  AttributeSource Compile(std::string_view properties) {
    scene_.Write("root.usda", Concat("def Cube \"P\" {\n", properties, "\n}\n"));
    return Compile();
  }
  // Compiles /P.x in a sublayer with this layer offset.
  AttributeSource CompileRetimed(std::string_view properties, double offset, double scale) {
    scene_.Write("in.usda", Concat("def \"P\" {\n", properties, "\n}\n"));
    scene_.Write("root.usda", Concat("(\n    subLayers = [@./in.usda@ (offset = ", offset,
                                     "; scale = ", scale, ")]\n)\n"));
    return Compile();
  }

  // NaN where the value is not a double.
  double At(const AttributeSource& source, TimeCode time,
            Interpolation interpolation = Interpolation::kLinear) {
    const Value value = source.ValueAt(scene_.context(), time, interpolation);
    const double* number = value.Get<double>();
    return number == nullptr ? std::numeric_limits<double>::quiet_NaN() : *number;
  }
  Times ValuesAt(const AttributeSource& source, const Times& times,
                 Interpolation interpolation = Interpolation::kLinear) {
    Times values;
    for (const double time : times) values.push_back(At(source, TimeCode::At(time), interpolation));
    return values;
  }
  bool HasNoValue(const AttributeSource& source, TimeCode time) {
    return source.ValueAt(scene_.context(), time, Interpolation::kLinear).empty();
  }
  Times Samples(const AttributeSource& source) {
    const Array<double> times = source.SampleTimes(scene_.context());
    return {times.begin(), times.end()};
  }
  Times SamplesIn(const AttributeSource& source, double first, double last) {
    const Array<double> times = source.SampleTimesIn(scene_.context(), first, last);
    return {times.begin(), times.end()};
  }
  std::optional<Pair> Around(const AttributeSource& source, double time) {
    return source.Bracketing(scene_.context(), time);
  }
  bool Varies(const AttributeSource& source) { return source.MightBeTimeVarying(scene_.context()); }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(AttributeSourceTest, FallsBackToTheSchemaWithoutOpinions) {
  scene_.Write("root.usda", "def Cube \"P\" {}\n");
  stage_ = scene_.Open("root.usda");
  const AttributeSource size =
      Attribute(stage_->FindProperty(P("/P.size"))).Compile(scene_.context());
  EXPECT_EQ(size.kind(), ResolveInfoSource::kFallback);
  EXPECT_EQ(At(size, TimeCode::At(1)), 2);
  EXPECT_EQ(size.opinion(), nullptr);
  const AttributeSource none = Compile("double x");
  EXPECT_EQ(none.kind(), ResolveInfoSource::kNone);
  EXPECT_TRUE(HasNoValue(none, TimeCode::At(1)));
  EXPECT_FALSE(none.blocked());
}

TEST_F(AttributeSourceTest, SamplesBeatSplinesAndSplinesBeatDefaults) {
  EXPECT_EQ(Compile("double x = 1").kind(), ResolveInfoSource::kDefault);
  EXPECT_EQ(Compile("double x = 1\ndouble x.spline = { 1: 2 }").kind(), ResolveInfoSource::kSpline);
  EXPECT_EQ(
      Compile("double x = 1\ndouble x.spline = { 1: 2 }\ndouble x.timeSamples = { 1: 3 }").kind(),
      ResolveInfoSource::kTimeSamples);
  EXPECT_EQ(Compile("double x = 1\ndouble x.timeSamples = {}").kind(), ResolveInfoSource::kDefault)
      << "an empty set of samples is not an opinion";
}

TEST_F(AttributeSourceTest, TheStrongestSpecAnswersWithWhateverItHas) {
  scene_.Write("weak.usda", "def \"P\" { double x.timeSamples = { 1: 7 }; }\n");
  scene_.Write("root.usda", "( subLayers = [@./weak.usda@] )\ndef \"P\" { double x = 5; }\n");
  const AttributeSource source = Compile();
  EXPECT_EQ(source.kind(), ResolveInfoSource::kDefault);
  EXPECT_EQ(At(source, TimeCode::At(1)), 5);
  ASSERT_NE(source.opinion(), nullptr);
  EXPECT_EQ(source.opinion()->layer->identifier(), "/root.usda");
}

TEST_F(AttributeSourceTest, BlockedDefaultsHideWeakerOpinions) {
  scene_.Write("weak.usda", "def Cube \"P\" { double size = 7; }\n");
  scene_.Write("root.usda",
               "( subLayers = [@./weak.usda@] )\nover \"P\" { double size = None; }\n");
  stage_ = scene_.Open("root.usda");
  const Attribute size(stage_->FindProperty(P("/P.size")));
  const AttributeSource numeric = size.Compile(scene_.context());
  EXPECT_TRUE(numeric.blocked());
  EXPECT_EQ(numeric.kind(), ResolveInfoSource::kFallback);
  EXPECT_EQ(At(numeric, TimeCode::At(1)), 2);
  const AttributeSource at_default = size.CompileDefault(scene_.context());
  EXPECT_TRUE(at_default.blocked());
  EXPECT_EQ(at_default.kind(), ResolveInfoSource::kNone);
}

TEST_F(AttributeSourceTest, AnimationBlocksHideWeakerAnimationOnly) {
  scene_.Write("weak.usda", "def \"P\" { double x = 7; double x.timeSamples = { 1: 8 }; }\n");
  scene_.Write("root.usda",
               "( subLayers = [@./weak.usda@] )\nover \"P\" { double x = AnimationBlock; }\n");
  const AttributeSource source = Compile();
  EXPECT_EQ(source.kind(), ResolveInfoSource::kDefault);
  EXPECT_EQ(At(source, TimeCode::At(1)), 7);
}

TEST_F(AttributeSourceTest, SamplesInterpolateAndHoldTheirEnds) {
  const AttributeSource source = Compile("double x.timeSamples = { 1: 10, 3: 30, 4: 50 }");
  EXPECT_EQ(ValuesAt(source, {0, 1, 2, 2.5, 3, 3.5, 4, 9}),
            (Times{10, 10, 20, 25, 30, 40, 50, 50}));
  EXPECT_EQ(ValuesAt(source, {0, 1, 2, 3, 3.5, 4, 9}, Interpolation::kHeld),
            (Times{10, 10, 10, 30, 30, 50, 50}));
}

// Longer lists are searched where even spacing would put the sample.
TEST_F(AttributeSourceTest, FindsManySamplesWithAnySpacing) {
  std::string even, uneven;
  Times squares;
  for (int i = 0; i < 12; ++i) {
    even += Concat(i, ": ", i * 10, ", ");
    uneven += Concat(i * i, ": ", i * 10, ", ");
    squares.push_back(i * i);
  }
  const AttributeSource by_one = Compile(Concat("double x.timeSamples = { ", even, "}"));
  EXPECT_EQ(ValuesAt(by_one, {-1, 0, 0.5, 5, 5.25, 10.5, 11, 12}),
            (Times{0, 0, 5, 50, 52.5, 105, 110, 110}));
  const AttributeSource by_square = Compile(Concat("double x.timeSamples = { ", uneven, "}"));
  for (size_t i = 0; i < squares.size(); ++i) {
    EXPECT_EQ(At(by_square, TimeCode::At(squares[i])), 10.0 * static_cast<double>(i));
    if (i + 1 == squares.size()) continue;
    const double middle = (squares[i] + squares[i + 1]) / 2;
    EXPECT_EQ(At(by_square, TimeCode::At(middle)), 10.0 * static_cast<double>(i) + 5);
    EXPECT_EQ(Around(by_square, middle), Pair(squares[i], squares[i + 1]));
  }
  EXPECT_EQ(Around(by_square, -1), Pair(0, 0));
  EXPECT_EQ(Around(by_square, 122), Pair(121, 121));
}

TEST_F(AttributeSourceTest, PreTimesAreLimitsFromBelow) {
  const AttributeSource source = Compile("double x.timeSamples = { 1: 10, 3: 30, 5: None, 7: 70 }");
  EXPECT_EQ(At(source, TimeCode::PreTime(1)), 10) << "there is no sample before the first";
  EXPECT_EQ(At(source, TimeCode::PreTime(2)), 20);
  EXPECT_EQ(At(source, TimeCode::PreTime(3)), 30) << "interpolation reaches the sample";
  EXPECT_EQ(At(source, TimeCode::PreTime(3), Interpolation::kHeld), 10);
  EXPECT_EQ(At(source, TimeCode::PreTime(5)), 30) << "a value is held up to a block";
  EXPECT_TRUE(HasNoValue(source, TimeCode::PreTime(7))) << "a block is held";
  EXPECT_EQ(At(source, TimeCode::At(7)), 70);
  EXPECT_EQ(At(source, TimeCode::PreTime(8)), 70);
}

TEST_F(AttributeSourceTest, BlockedSamplesGiveNoValueUntilTheNext) {
  const AttributeSource source = Compile("double x = 1\ndouble x.timeSamples = { 1: 10, 3: None }");
  EXPECT_EQ(At(source, TimeCode::At(2)), 10);
  EXPECT_TRUE(HasNoValue(source, TimeCode::At(3)));
  EXPECT_TRUE(HasNoValue(source, TimeCode::At(9)));
  EXPECT_FALSE(source.blocked());
}

TEST_F(AttributeSourceTest, OffsetsMapTimesBothWays) {
  const AttributeSource source = CompileRetimed("double x.timeSamples = { 1: 10, 3: 30 }", 100, 2);
  EXPECT_EQ(Samples(source), (Times{102, 106}));
  EXPECT_EQ(ValuesAt(source, {102, 104, 106}), (Times{10, 20, 30}));
  EXPECT_EQ(Around(source, 103), Pair(102, 106));
  EXPECT_EQ(SamplesIn(source, 102, 105), Times{102});
  EXPECT_EQ(SamplesIn(source, 106, 106), Times{106});
  EXPECT_EQ(SamplesIn(source, 102.5, 105.5), Times{});
  EXPECT_EQ(source.offset().offset, 100);
}

TEST_F(AttributeSourceTest, TimeCodesAreInStageTime) {
  const AttributeSource code = CompileRetimed("timecode x = 3", 100, 2);
  const Value value = code.ValueAt(scene_.context(), TimeCode::At(0), Interpolation::kLinear);
  ASSERT_TRUE(value.Is<TimeCodeValue>());
  EXPECT_EQ(value.Get<TimeCodeValue>()->value, 106);
  const AttributeSource samples = CompileRetimed("timecode x.timeSamples = { 1: 3 }", 100, 2);
  const auto retimed = samples.RetimedSamples();
  ASSERT_TRUE(retimed.has_value());
  ASSERT_EQ(retimed->size(), 1u);
  EXPECT_EQ(retimed->front().first, 102);
  EXPECT_EQ(retimed->front().second.Get<TimeCodeValue>()->value, 106);
}

TEST_F(AttributeSourceTest, IntervalsIncludeSamplesAtTheirEnds) {
  const AttributeSource source = Compile("double x.timeSamples = { 1: 1, 2: 2, 3: 3 }");
  EXPECT_EQ(SamplesIn(source, 1, 3), (Times{1, 2, 3}));
  EXPECT_EQ(SamplesIn(source, 1.5, 2.5), Times{2});
  EXPECT_EQ(SamplesIn(source, 2, 2), Times{2});
  EXPECT_EQ(SamplesIn(source, -kInf, kInf), (Times{1, 2, 3}));
  EXPECT_EQ(SamplesIn(source, 3, 1), Times{});
  EXPECT_EQ(SamplesIn(source, std::nan(""), 3), Times{});
  EXPECT_EQ(SamplesIn(Compile("double x = 1"), 1, 3), Times{});
}

TEST_F(AttributeSourceTest, SamplesAtInfiniteTimesAreHeldButNotListed) {
  const AttributeSource source = Compile("double x.timeSamples = { -inf: 1, 2: 2, inf: 3 }");
  EXPECT_EQ(Samples(source), Times{2});
  EXPECT_EQ(source.SampleCount(scene_.context()), 3u) << "as OpenUSD counts";
  ASSERT_TRUE(source.RetimedSamples().has_value());
  EXPECT_EQ(source.RetimedSamples()->size(), 1u);
}

TEST_F(AttributeSourceTest, MightVaryWithMoreThanOneSample) {
  EXPECT_FALSE(Varies(Compile("double x.timeSamples = { 1: 1 }")));
  EXPECT_TRUE(Varies(Compile("double x.timeSamples = { 1: 1, 2: 1 }")));
  EXPECT_TRUE(Varies(Compile("double x.spline = { 1: 1 }")));
  EXPECT_FALSE(Varies(Compile("double x = 1")));
  EXPECT_FALSE(Varies(Compile("double x")));
}

TEST_F(AttributeSourceTest, SplinesHaveNoSamples) {
  const AttributeSource source =
      CompileRetimed("double x.spline = { 1: 10; post linear, 3: 30 }", 100, 2);
  EXPECT_EQ(ValuesAt(source, {100, 102, 104, 106, 200}), (Times{10, 10, 20, 30, 30}));
  EXPECT_EQ(Samples(source), Times{});
  EXPECT_EQ(source.SampleCount(scene_.context()), 0u);
  EXPECT_EQ(Around(source, 104), std::nullopt);
  EXPECT_EQ(source.RetimedSamples(), std::nullopt);
  const Value retimed = source.RetimedSpline(scene_.context());
  ASSERT_TRUE(retimed.Is<Spline>());
  EXPECT_EQ(retimed.Get<Spline>()->knots[1].time, 106);
  EXPECT_TRUE(Compile("double x = 1").RetimedSpline(scene_.context()).empty());
}

TEST_F(AttributeSourceTest, SplinesHaveLeftLimits) {
  const AttributeSource source =
      Compile("double x.spline = { 1: 10; post held, 3: 5 & 30; post held, }");
  EXPECT_EQ(At(source, TimeCode::At(3)), 30);
  EXPECT_EQ(At(source, TimeCode::PreTime(3)), 10) << "a held segment is held up to the knot";
  EXPECT_EQ(At(source, TimeCode::Earliest()), 10);
}

TEST_F(AttributeSourceTest, KnowsWhetherItIsLarge) {
  EXPECT_FALSE(Compile("double x = 1").IsLarge());
  const AttributeSource array = Compile("double[] x = [1, 2, 3, 4]");
  EXPECT_TRUE(array.IsLarge());
  EXPECT_GE(array.byte_size(), sizeof(AttributeSource));
}

// Array edits need the opinions that they apply to, and those what they apply to.
TEST_F(AttributeSourceTest, CountsTheBytesOfWeakerOpinions) {
  const auto bytes_of_edits = [this](int layers) {
    std::string sublayers;
    for (int i = 0; i < layers; ++i) {
      scene_.Write(Concat(i, ".usda"), "over \"P\" { double[] x = edit [append 1]; }\n");
      sublayers += Concat("@./", i, ".usda@, ");
    }
    scene_.Write("root.usda", Concat("( subLayers = [", sublayers, "] )\n",
                                     "def \"P\" { double[] x = edit [append 2]; }\n"));
    return Compile().byte_size();
  };
  EXPECT_GE(bytes_of_edits(1), 2 * sizeof(AttributeSource));
  EXPECT_GE(bytes_of_edits(3), 4 * sizeof(AttributeSource));
}

}  // namespace
}  // namespace stagedoor
