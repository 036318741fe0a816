// Layers with rates that are negative, zero or not numbers, and the times that pass between them.
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/export/flatten.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_writer.h"
#include "scene/values/reference.h"
#include "scene/values/time_code_value.h"

namespace stagedoor {
namespace {

using Times = std::vector<double>;

constexpr std::string_view kPrim = R"(def "P" {
  double x.timeSamples = { 1: 10, 2: 20, 4: 40 }
  timecode t = 3
  double s.spline = { pre: sloped(2), 1: 10; post linear, 3: 30; post held, 5: 20; post held, }
}
)";

class LayerRatesTest : public testing::Test {
 protected:
  // A stage whose root layer has the rate `outer` and sublayers, or references, a layer with the
  // rate `inner`.
  std::shared_ptr<const Stage> Sublayer(std::string_view outer, std::string_view inner) {
    scene_.Write("root.usda",
                 Concat("( timeCodesPerSecond = ", outer, "\nsubLayers = [@./in.usda@]\n)\n"));
    return OpenOver(inner);
  }
  std::shared_ptr<const Stage> Reference(std::string_view outer, std::string_view inner) {
    scene_.Write("root.usda", Concat("( timeCodesPerSecond = ", outer,
                                     ")\ndef \"P\" (references = @./in.usda@</P>) {}\n"));
    return OpenOver(inner);
  }
  std::shared_ptr<const Stage> OpenOver(std::string_view inner) {
    scene_.Write("in.usda", Concat("( timeCodesPerSecond = ", inner, ")\n", kPrim));
    return scene_.Open("root.usda");
  }

  AttributeSource Source(const Stage& stage, std::string_view path) {
    return Attribute(stage.FindProperty(P(path))).Compile(scene_.context());
  }
  Times Samples(const Stage& stage, std::string_view path) {
    const Array<double> times = Source(stage, path).SampleTimes(scene_.context());
    return {times.begin(), times.end()};
  }
  double At(const Stage& stage, std::string_view path, TimeCode time) {
    const Value value = Attribute(stage.FindProperty(P(path))).Get(scene_.context(), time);
    if (const auto* number = value.Get<double>()) return *number;
    const auto* code = value.Get<TimeCodeValue>();
    return code ? code->value : std::numeric_limits<double>::quiet_NaN();
  }
  Times Values(const Stage& stage, std::string_view path, const Times& times) {
    Times values;
    for (const double time : times) values.push_back(At(stage, path, TimeCode::At(time)));
    return values;
  }

  TestScene scene_;
};

// Expected values come from usd-core for all of these rates.
TEST_F(LayerRatesTest, TimesRunBackwardsBehindANegativeRate) {
  for (const auto& stage : {Reference("24", "-24"), Reference("-24", "24"), Sublayer("24", "-24"),
                            Sublayer("-24", "24")}) {
    ASSERT_TRUE(stage);
    EXPECT_EQ(Samples(*stage, "/P.x"), (Times{-1, -2, -4})) << "in the order of the layer";
    EXPECT_EQ(Values(*stage, "/P.x", {-12, -4, -3.5, -2, -1.5, -1, 0, 3}),
              (Times{40, 40, 20, 20, 10, 10, 10, 10}))
        << "held, not interpolated";
    EXPECT_EQ(At(*stage, "/P.x", TimeCode::PreTime(-4)), 20);
    EXPECT_EQ(At(*stage, "/P.x", TimeCode::PreTime(-1)), 10);
    EXPECT_EQ(At(*stage, "/P.t", TimeCode::Default()), -3);
    EXPECT_EQ(At(*stage, "/P.s", TimeCode::Earliest()), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(Values(*stage, "/P.s", {-5, -3.5, -3, -2, -1, 0}), (Times{20, 30, 30, 20, 10, 8}));

    const AttributeSource source = Source(*stage, "/P.x");
    EXPECT_EQ(source.Bracketing(scene_.context(), -3), std::pair(-2.0, -4.0));
    EXPECT_EQ(source.Bracketing(scene_.context(), 3), std::pair(-1.0, -1.0));
    const Array<double> inside = source.SampleTimesIn(scene_.context(), -3, -1);
    EXPECT_EQ(Times(inside.begin(), inside.end()), (Times{-1, -2}));
    EXPECT_TRUE(source.SampleTimesIn(scene_.context(), 0, 5).empty());
  }
}

TEST_F(LayerRatesTest, TwoNegativeRatesScaleForwards) {
  const auto stage = Reference("-24", "-48");
  EXPECT_EQ(Samples(*stage, "/P.x"), (Times{0.5, 1, 2}));
  EXPECT_EQ(Values(*stage, "/P.x", {1.5}), Times{30});
  EXPECT_EQ(stage->time_codes_per_second(), -24);
}

TEST_F(LayerRatesTest, OffsetsApplyBeforeTheRates) {
  scene_.Write("root.usda", R"(( timeCodesPerSecond = 24 )
def "P" (references = @./in.usda@</P> (offset = 1; scale = 2)) {}
)");
  EXPECT_EQ(Samples(*OpenOver("-48"), "/P.x"), (Times{0, -1, -3}));
}

// Here usd-core does not terminate, or has no values or only the first.
TEST_F(LayerRatesTest, RatesWithoutAFiniteRatioDoNotScale) {
  for (const auto& [outer, inner] :
       std::vector<std::pair<std::string, std::string>>{{"24", "0"},
                                                        {"0", "24"},
                                                        {"24", "inf"},
                                                        {"inf", "24"},
                                                        {"24", "nan"},
                                                        {"nan", "nan"},
                                                        {"24", "1e-310"},
                                                        {"1e-310", "24"},
                                                        {"-24", "-0.0"},
                                                        {"0", "0"},
                                                        {"inf", "inf"}}) {
    SCOPED_TRACE(Concat(outer, " and ", inner));
    for (const auto& stage : {Reference(outer, inner), Sublayer(outer, inner)}) {
      ASSERT_TRUE(stage);
      EXPECT_EQ(Samples(*stage, "/P.x"), (Times{1, 2, 4}));
      EXPECT_EQ(Values(*stage, "/P.x", {0, 1.5, 2, 3}), (Times{10, 15, 20, 30}));
      EXPECT_EQ(At(*stage, "/P.t", TimeCode::Default()), 3);
    }
  }
}

TEST_F(LayerRatesTest, SessionRatesReverseTheStage) {
  scene_.Write("root.usda", Concat("( timeCodesPerSecond = 24 )\n", kPrim));
  scene_.Write("session.usda", "( timeCodesPerSecond = -24 )\n");
  StageOptions options;
  options.session = "/session.usda";
  const auto stage = scene_.Open("root.usda", options);
  ASSERT_TRUE(stage);
  EXPECT_EQ(stage->time_codes_per_second(), -24);
  EXPECT_EQ(Samples(*stage, "/P.x"), (Times{-1, -2, -4}));
}

TEST_F(LayerRatesTest, ClipsRunBackwards) {
  scene_.Write("root.usda", R"(( timeCodesPerSecond = 24 )
def "P" (references = @./in.usda@</P>) {}
)");
  scene_.Write("in.usda", R"(( timeCodesPerSecond = -24 )
def "P" (
  clips = { dictionary default = {
    asset[] assetPaths = [@./c1.usda@, @./c2.usda@]
    double2[] active = [(1, 0), (3, 1)]
    double2[] times = [(1, 1), (5, 5)]
    asset manifestAssetPath = @./m.usda@
    string primPath = "/C"
  } }
) {
  double x
}
)");
  scene_.Write("m.usda", "def \"C\" {\n  double x\n}\n");
  scene_.Write("c1.usda", "def \"C\" {\n  double x.timeSamples = { 1: 10, 2: 20, 3: 30 }\n}\n");
  scene_.Write("c2.usda", "def \"C\" {\n  double x.timeSamples = { 3: 300, 4: 400, 5: 500 }\n}\n");
  const auto stage = scene_.Open("root.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Samples(*stage, "/P.x"), (Times{-1, -2, -3, -4, -5}));
  EXPECT_EQ(Values(*stage, "/P.x", {-9, -4.5, -4, -3, -2.5, -1.5, 0}),
            (Times{500, 400, 400, 300, 20, 10, 10}));
  EXPECT_EQ(At(*stage, "/P.x", TimeCode::PreTime(-3)), 20);
  const AttributeSource source = Source(*stage, "/P.x");
  const Array<double> inside = source.SampleTimesIn(scene_.context(), -4, -2);
  EXPECT_EQ(Times(inside.begin(), inside.end()), (Times{-2, -3, -4}));
}

TEST_F(LayerRatesTest, FlattenedSamplesAndSplinesAreInOrder) {
  const auto stage = Reference("24", "-24");
  const auto flat = FlattenStage(scene_.context(), *stage, {});
  ASSERT_TRUE(flat.ok()) << flat.status();
  const std::string text = WriteUsda(**flat);
  EXPECT_NE(text.find("-4: 40,\n        -2: 20,\n        -1: 10,"), std::string::npos) << text;
  EXPECT_NE(
      text.find("post: sloped(-2),\n        -5: 20; post held,\n        -3: 30; post linear,\n"
                "        -1: 10; post held,"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace stagedoor
