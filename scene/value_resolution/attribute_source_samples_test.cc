#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "scene/testing/clips_fixture.h"
#include "scene/testing/test_scene.h"
#include "scene/value_resolution/attribute_source.h"

namespace stagedoor {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class CoveringSamplesTest : public ClipsTest {
 protected:
  // The attribute /P.x in a layer with these properties.
  Attribute Make(std::string_view properties) {
    scene_.Write("root.usda", Concat("def Cube \"P\" {\n", properties, "\n}\n"));
    return Open("/P.x");
  }
  // The attribute /P.x in a sublayer with this layer offset.
  Attribute MakeRetimed(std::string_view properties, double offset, double scale) {
    scene_.Write("in.usda", Concat("def \"P\" {\n", properties, "\n}\n"));
    scene_.Write("root.usda", Concat("(\n    subLayers = [@./in.usda@ (offset = ", offset,
                                     "; scale = ", scale, ")]\n)\n"));
    return Open("/P.x");
  }

  // The samples with their values: "1=10 <3=30 3=5", with "<" for limits from the left.
  std::string Covering(const Attribute& attribute, double first, double last, size_t most = 100) {
    const AttributeSource source = attribute.Compile(scene_.context());
    const auto samples = source.SamplesCovering(scene_.context(), first, last, most);
    if (!samples.ok()) return std::string(samples.status().message());
    std::string text;
    for (const AttributeSample& sample : *samples) {
      const Value value = attribute.Get(scene_.context(), source, sample, Interpolation::kLinear);
      const double* number = value.Get<double>();
      const Token* token = value.Get<Token>();
      text += Concat(text.empty() ? "" : " ", sample.pre ? "<" : "", sample.time, "=",
                     number  ? Concat(std::round(*number * 1e9) / 1e9)
                     : token ? std::string(token->text())
                             : "-");
    }
    return text;
  }
};

// Whether values are constant between two times, with samples held or not.
struct ConstantCase {
  double first, last;
  bool linear, held;
};

class ConstantValuesTest : public CoveringSamplesTest {
 protected:
  void Check(const Attribute& attribute, const std::vector<ConstantCase>& cases) {
    const AttributeSource source = attribute.Compile(scene_.context());
    for (const ConstantCase& c : cases) {
      EXPECT_EQ(source.IsConstantIn(scene_.context(), c.first, c.last, /*held=*/false), c.linear)
          << c.first << " to " << c.last;
      EXPECT_EQ(source.IsConstantIn(scene_.context(), c.first, c.last, /*held=*/true), c.held)
          << c.first << " to " << c.last << ", held";
    }
  }
  // Values must not differ where they are said to be constant.
  void CheckValues(const Attribute& attribute) {
    const AttributeSource source = attribute.Compile(scene_.context());
    for (const bool held : {false, true}) {
      const auto value_at = [&](double time) {
        return attribute.Get(scene_.context(), source, TimeCode::At(time),
                             held ? Interpolation::kHeld : Interpolation::kLinear);
      };
      for (double first = -2; first < 12; first += 0.25) {
        for (double last = first; last < 12; last += 0.25) {
          if (!source.IsConstantIn(scene_.context(), first, last, held)) continue;
          EXPECT_EQ(value_at(first), value_at(last)) << first << " to " << last;
        }
      }
    }
  }
};

TEST_F(ConstantValuesTest, OneSampleDeterminesThem) {
  Check(Make("double x.timeSamples = { 1: 10, 3: 30, 8: 80 }"), {{-4, 0.5, true, true},
                                                                 {-4, 1, true, true},
                                                                 {-4, 1.5, false, true},
                                                                 {1, 2.5, false, true},
                                                                 {1, 3, false, false},
                                                                 {2, 2, true, true},
                                                                 {8, 9, true, true},
                                                                 {7, 9, false, false}});
  Check(Make("double x = 4"), {{-4, 4, true, true}});
  Check(Make("double x.timeSamples = { 1: 10 }"), {{-4, 4, true, true}});
  Check(Make("double x.spline = { 0: 0; post linear, 5: 5 }"), {{1, 2, false, false}});
}

TEST_F(ConstantValuesTest, SamplesAreHeldInTheirOwnTime) {
  const char* samples = R"(token x.timeSamples = { 1: "a", 2: "b", 3: "c" })";
  // As in SamplesKeepTheirValuesBehindAnOffset, the value changes just after 4.1.
  Check(MakeRetimed(samples, 0.1, 2), {{2.1, 4, false, true}, {2.1, 4.1, false, true}});
  for (const double scale : {2.0, 0.5}) CheckValues(MakeRetimed(samples, 3, scale));
  scene_.Write("in.usda", Concat("(\n    timeCodesPerSecond = -24\n)\ndef \"P\" {\n",
                                 R"(token x.timeSamples = { -8: "a", -5: "b", 1: "c" })", "\n}\n"));
  scene_.Write("root.usda", "(\n    subLayers = [@./in.usda@]\n)\n");
  CheckValues(Open("/P.x"));
  Check(Open("/P.x"), {{5, 7.5, false, false}, {5.5, 8, false, true}, {4, 5, false, true}});
}

TEST_F(ConstantValuesTest, SamplesOfClipsAreHeld) {
  Write({kTwoSamples, kTwoSamples}, "double2[] active = [(0, 0), (3, 1)]", "double b",
        "def \"M\" { double b; }");
  Check(Open(), {{-4, -1, true, true},
                 {1.5, 2.5, false, true},
                 {2.5, 3, false, false},
                 {3.5, 4.5, false, true},
                 {6, 9, true, true}});
  CheckValues(Open());
  // Played backward: just after the time of a sample, the one before it is held.
  Write({kTwoSamples}, "double2[] active = [(0, 0)]\ndouble2[] times = [(0, 8), (8, 0)]",
        "double b", "def \"M\" { double b; }");
  CheckValues(Open());
}

TEST_F(ConstantValuesTest, EditsMayVary) {
  scene_.Write("weak.usda", "def \"P\" { int[] x.timeSamples = { 1: [1], 5: [5] }; }\n");
  scene_.Write("root.usda", R"((
    subLayers = [@./weak.usda@]
)
def "P" {
    int[] x.timeSamples = { 2: edit [append 7], 4: edit [append 8] }
}
)");
  Check(Open("/P.x"), {{2.25, 3, false, false}});
}

TEST_F(CoveringSamplesTest, IncludesTheSamplesJustOutside) {
  const Attribute x = Make("double x.timeSamples = { 1: 10, 2: 20, 3: 30, 8: 80 }");
  EXPECT_EQ(Covering(x, 1.5, 2.5), "1=10 2=20 3=30");
  EXPECT_EQ(Covering(x, 2.2, 2.4), "2=20 3=30");
  EXPECT_EQ(Covering(x, 2, 3), "2=20 3=30") << "there are samples at both ends";
  EXPECT_EQ(Covering(x, 2, 2), "2=20");
  EXPECT_EQ(Covering(x, -kInf, kInf), "1=10 2=20 3=30 8=80");
  EXPECT_EQ(Covering(x, 2.5, kInf), "2=20 3=30 8=80");
}

TEST_F(CoveringSamplesTest, HoldsTheFirstAndTheLastSample) {
  const Attribute x = Make("double x.timeSamples = { 1: 10, 3: 30 }");
  EXPECT_EQ(Covering(x, -5, 0), "1=10");
  EXPECT_EQ(Covering(x, 4, 9), "3=30");
  EXPECT_EQ(Covering(x, -5, 2), "1=10 3=30");
  EXPECT_EQ(Covering(x, 2, 9), "1=10 3=30");
  EXPECT_EQ(Covering(x, -kInf, -9), "1=10");
}

TEST_F(CoveringSamplesTest, ConstantAttributesHaveNone) {
  EXPECT_EQ(Covering(Make("double x = 5"), 1, 2), "");
  EXPECT_EQ(Covering(Make("double x"), 1, 2), "");
  EXPECT_EQ(Covering(Make("double x.timeSamples = { 7: 5 }"), 1, 2), "7=5");
}

TEST_F(CoveringSamplesTest, BlockedSamplesAreSamples) {
  EXPECT_EQ(Covering(Make("double x.timeSamples = { 1: 10, 2: None, 3: 30 }"), 1.5, 2.5),
            "1=10 2=- 3=30");
}

TEST_F(CoveringSamplesTest, SamplesKeepTheirValuesBehindAnOffset) {
  // 2 is mapped to 4.1, which mapped back is less than 2: a query there finds the token before.
  const LayerOffset offset{0.1, 2};
  ASSERT_LT(offset.Inverse().Apply(offset.Apply(2)), 2);
  const Attribute x = MakeRetimed(R"(token x.timeSamples = { 1: "a", 2: "b", 3: "c" })", 0.1, 2);
  EXPECT_EQ(Covering(x, 3, 5), "2.1=a 4.1=b 6.1=c");
}

TEST_F(CoveringSamplesTest, ValuesAtSamplesAreExactBehindAnOffset) {
  // 3.5 is mapped to a time which mapped back is later.
  const LayerOffset offset{0, 1.6};
  const double on_stage = offset.Apply(3.5);
  ASSERT_GT(offset.Inverse().Apply(on_stage), 3.5);
  const Attribute x = MakeRetimed("double x.timeSamples = { 1: -1e16, 3.5: 0, 5: 1.5e16 }", 0, 1.6);
  const auto value_at = [&](double time) {
    const Value value = x.Get(scene_.context(), TimeCode::At(time));
    return value.Get<double>() == nullptr ? std::nan("") : *value.Get<double>();
  };
  EXPECT_EQ(value_at(on_stage), 0);
  // As in OpenUSD, which interpolates in stage time.
  EXPECT_EQ(value_at(std::nextafter(on_stage, 9)), 5.551115123125784);
}

TEST_F(CoveringSamplesTest, SamplesAscendBehindANegativeRate) {
  scene_.Write("in.usda", R"((
    timeCodesPerSecond = -24
)
def "P" {
    double x.timeSamples = { 1: 10, 3: 30, 4: 40 }
    double s.spline = { 1: 5; post linear, 3: 7 & 8, }
}
)");
  scene_.Write("root.usda", "(\n    subLayers = [@./in.usda@]\n)\n");
  EXPECT_EQ(Covering(Open("/P.x"), -3.5, -2), "-4=40 -3=30 -1=10");
  EXPECT_EQ(Covering(Open("/P.s"), -4, -2), "-4=8 -3=8 -2=6") << "no limits from the left";
}

TEST_F(CoveringSamplesTest, SplinesHaveKnotsAndEnds) {
  const Attribute x = Make("double x.spline = { 1: 10; post linear, 3: 30; post linear, 5: 40 }");
  EXPECT_EQ(Covering(x, 2, 4), "2=20 3=30 4=35");
  EXPECT_EQ(Covering(x, 1, 3), "1=10 3=30");
  EXPECT_EQ(Covering(x, 1.5, 2), "1.5=15 2=20");
  EXPECT_EQ(Covering(x, 2, 2), "2=20");
  EXPECT_EQ(Covering(x, -kInf, kInf), "1=10 3=30 5=40") << "infinite ends have no values";
  EXPECT_EQ(Covering(x, 6, 7), "6=40 7=40");
}

TEST_F(CoveringSamplesTest, AJumpOfASplineHasTwoSamples) {
  const Attribute x = Make("double x.spline = { 1: 10; post held, 3: 5 & 30; post linear, 5: 40 }");
  EXPECT_EQ(Covering(x, 2, 4), "2=10 <3=10 3=30 4=35");
  EXPECT_EQ(Covering(x, 2, 3), "2=10 <3=10 3=30");
  EXPECT_EQ(Covering(x, 3, 4), "3=30 4=35") << "nothing before the interval";
  const Attribute blocked =
      Make("double x.spline = { 1: 10; post none, 3: 30; post linear, 5: 40 }");
  EXPECT_EQ(Covering(blocked, 0, 4), "0=10 <1=10 1=- <3=- 3=30 4=35");
}

TEST_F(CoveringSamplesTest, LoopsOfASplineHaveKnots) {
  const Attribute x =
      Make("double x.spline = { post: loop reset, 0: 0; post linear, 2: 20; post linear, 3: 0 }");
  EXPECT_EQ(Covering(x, 4, 6.5), "4=10 5=20 <6=0 6=0 6.5=5");
  EXPECT_EQ(Covering(x, 0, kInf), "the interval has more than 100 samples") << "endless";
}

TEST_F(CoveringSamplesTest, SplinesAreRetimed) {
  const Attribute x = MakeRetimed("double x.spline = { 1: 10; post linear, 3: 30 }", 10, 2);
  EXPECT_EQ(Covering(x, 13, 20), "13=15 16=30 20=30");
}

TEST_F(CoveringSamplesTest, ClipsHaveSamplesWhereTheyBegin) {
  Write({kTwoSamples, kTwoSamples}, "double2[] active = [(0, 0), (3, 1)]", "double b",
        "def \"M\" { double b; }");
  EXPECT_EQ(Covering(Open(), 2, 4), "1=15 3=16 5=17") << "3 is where the second clip begins";
  EXPECT_EQ(Covering(Open(), 3.5, 4), "3=16 5=17");
  EXPECT_EQ(Covering(Open(), -kInf, kInf), "0=15 1=15 3=16 5=17");
  EXPECT_EQ(Covering(Open(), 8, 9), "5=17");
  EXPECT_EQ(Covering(Open(), -9, -8), "0=15");
}

TEST_F(CoveringSamplesTest, KnotsOfTheTimingCurveAreSamplesOfClips) {
  Write({kTwoSamples}, "double2[] active = [(0, 0)]\ndouble2[] times = [(0, 1), (2, 1), (6, 5)]",
        "double b", "def \"M\" { double b; }");
  EXPECT_EQ(Covering(Open(), 1, 3), "0=15 2=15 6=17");
}

TEST_F(CoveringSamplesTest, SplinesInClipsHaveKnotsAndEnds) {
  Write({kSpline, kSpline}, "double2[] active = [(0, 0), (3, 1)]", "double b",
        "def \"M\" { double b.spline = { 1: 5, }; }");
  EXPECT_EQ(Covering(Open(), 0.5, 4), "0.5=5 1=5 3=6 4=6.5");
}

TEST_F(CoveringSamplesTest, EditsHaveTheSamplesOfAllLayers) {
  scene_.Write("weak.usda", "def \"P\" { int[] x.timeSamples = { 1: [1], 5: [5] }; }\n");
  scene_.Write("root.usda", R"((
    subLayers = [@./weak.usda@]
)
def "P" {
    int[] x.timeSamples = { 2: edit [append 7], 4: edit [append 8] }
}
)");
  EXPECT_EQ(Covering(Open("/P.x"), 2.5, 3), "2=- 4=-");
  EXPECT_EQ(Covering(Open("/P.x"), -kInf, kInf), "1=- 2=- 4=- 5=-");
}

TEST_F(CoveringSamplesTest, LimitsTheNumberOfSamples) {
  const Attribute x = Make("double x.timeSamples = { 1: 10, 2: 20, 3: 30, 4: 40 }");
  EXPECT_EQ(Covering(x, 1.5, 2.5, 3), "1=10 2=20 3=30");
  EXPECT_EQ(Covering(x, 1.5, 2.5, 2), "the interval has more than 2 samples");
  const Attribute spline = Make("double x.spline = { 1: 10; post linear, 3: 30 }");
  EXPECT_EQ(Covering(spline, 0, 2, 3), "0=10 1=10 2=20");
  EXPECT_EQ(Covering(spline, 0, 2, 2), "the interval has more than 2 samples");
  Write({kTwoSamples}, "double2[] active = [(0, 0)]", "double b", "def \"M\" { double b; }");
  EXPECT_EQ(Covering(Open(), 0.5, 2, 3), "0=15 1=15 5=17");
  EXPECT_EQ(Covering(Open(), 0.5, 2, 2), "the interval has more than 2 samples");
}

TEST_F(CoveringSamplesTest, StopsWithTheRequest) {
  Write({kTwoSamples}, "double2[] active = [(0, 0)]", "double b", "def \"M\" { double b; }");
  const AttributeSource source = Open().Compile(scene_.context());
  RequestContext over;
  over.Cancel();
  EXPECT_EQ(source.SamplesCovering(over, 0, 1, 100).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor
