// Splines of value clips: their values, and the single spline that flattening writes for all clips.
// Expected values come from OpenUSD.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/testing/clips_fixture.h"
#include "scene/usda/usda_writer.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/value_type_name.h"

namespace stagedoor {
namespace {

// A clip, or a manifest, whose /M.b is a spline.
std::string Clip(std::string_view spline, std::string_view type = "double") {
  return Concat("def \"M\" {\n  ", type, " b.spline = { ", spline, " }\n}\n");
}
// A manifest that declares splines, and a default for clips without one.
std::string Default(std::string_view value, std::string_view type = "double") {
  return Concat("def \"M\" {\n  ", type, " b = ", value, "\n  ", type, " b.spline = { }\n}\n");
}

const std::string kLow = Clip("0: 0; post linear, 8: 80,");
const std::string kHigh = Clip("0: 100; post linear, 8: 180,");
const std::string kShort = Clip("1: 5; post linear, 5: 7,");
const std::string kBlocked = Clip("0: 1; post none, 8: 1; post none,");
const std::string kNoKnots = Clip("");
const std::string kNone = "def \"M\" {\n}\n";

constexpr std::string_view kOne = "double2[] active = [(0, 0)]\n";
constexpr std::string_view kTwo = "double2[] active = [(0, 0), (4, 1)]\n";
constexpr std::string_view kThree = "double2[] active = [(1, 0), (3, 1), (5, 2)]\n";
constexpr std::string_view kFour = "double2[] active = [(0, 0), (2, 1), (4, 2), (6, 3)]\n";
constexpr std::string_view kBridge = "bool interpolateMissingClipValues = true\n";

class ClipSplineTest : public ClipsTest {
 protected:
  void Set(const std::vector<std::string>& clips, std::string_view timing,
           std::string_view manifest = "", std::string_view type = "double") {
    Write({clips.begin(), clips.end()}, timing, Concat(type, " b"), manifest);
    b_ = Open();
  }
  Value WholeValue() { return b_.Compile(scene_.context()).RetimedSpline(scene_.context()); }
  // The whole spline as in a text layer, on one line; "-" if there is none.
  std::string Whole() {
    const Value spline = WholeValue();
    if (spline.empty()) return "-";
    LayerBuilder layer;
    const SpecId spec = layer.EnsureProperty(P("/M.b"), SpecType::kAttribute);
    layer.Set(spec, Fields().typeName, Value(Token("double")));
    layer.Set(spec, Fields().spline, spline);
    const std::string usda = WriteUsda(*std::move(layer).Build({}));
    const size_t begin = usda.find('{', usda.find(".spline")) + 1;
    std::string line;
    for (const char c : usda.substr(begin, usda.rfind('}', usda.rfind('}') - 1) - begin)) {
      const bool space = c == ' ' || c == '\n';
      if (!space) line += c;
      if (space && !line.empty() && line.back() != ' ') line += ' ';
    }
    return line.substr(0, line.rfind(','));
  }
  std::string At() { return ClipsTest::At(b_); }
  std::string Pre() { return ClipsTest::Pre(b_); }
  std::string Explain(double time) {
    const AttributeSource source = b_.Compile(scene_.context());
    return Join(source.clip_attribute()->ExplainAt(scene_.context(), time), "\n");
  }
  // The identifiers of the layers that supply the value and the property stack at a time.
  std::pair<std::string, std::string> LayerAndSpec(double time, bool pre = false) {
    const AttributeSource source = b_.Compile(scene_.context());
    const auto layer = source.clip_attribute()->LayerAt(scene_.context(), time);
    const auto spec = source.clip_attribute()->SpecAt(scene_.context(), time, pre);
    return {layer ? layer->identifier() : "-", spec.first ? spec.first->identifier() : "-"};
  }

  Attribute b_;
};

TEST_F(ClipSplineTest, ClipsMeetAtADualValuedKnot) {
  Set({kLow, kHigh}, kTwo);
  EXPECT_EQ(Whole(), "0: 0; post linear, 4: 40 & 140; post linear, 8: 180; post held");
  EXPECT_EQ(At(), "0 10 20 30 140 150 160 170");
  EXPECT_EQ(Pre(), "0 10 20 30 40 150 160 170");
}

TEST_F(ClipSplineTest, EachPieceOfTheCurveBecomesAPieceOfTheSpline) {
  const struct {
    const char* times;
    const char* whole;
    const char* values;
  } kCases[] = {
      {"(1, 1), (3, 5), (5, 1)", "1: 10; post linear, 3: 50; post linear, 5: 10; post held",
       "10 10 30 50 30 10 10 10"},
      {"(0, 0), (2, 2), (4, 2), (6, 4)",
       "0: 0; post linear, 2: 20; post held, 4: 20; post linear, 6: 40; post held",
       "0 10 20 20 20 30 40 40"},
      {"(0, 0), (4, 4), (4, 1), (6, 3)",
       "0: 0; post linear, 4: 40 & 10; post linear, 6: 30; post held", "0 10 20 30 10 20 30 30"},
      {"(2, 3), (4, 6)", "2: 30; post linear, 4: 60; post held", "30 30 30 45 60 60 60 60"},
  };
  for (const auto& c : kCases) {
    Set({kLow}, Concat(kOne, "double2[] times = [", c.times, "]"));
    EXPECT_EQ(Whole(), c.whole) << c.times;
    EXPECT_EQ(At(), c.values) << c.times;
  }
}

TEST_F(ClipSplineTest, ClipsThatStartWithinAPieceOfTheCurveCutIt) {
  Set({kLow, kHigh}, Concat(kTwo, "double2[] times = [(2, 2), (6, 6)]"));
  EXPECT_EQ(Whole(), "2: 20; post linear, 4: 40 & 140; post linear, 6: 160; post held");
  EXPECT_EQ(At(), "20 20 20 30 140 150 160 160");
}

TEST_F(ClipSplineTest, ClipsBeforeAndAfterTheCurveHoldItsEnds) {
  Set({kLow, kHigh, kLow},
      "double2[] active = [(0, 0), (2, 1), (6, 2)]\ndouble2[] times = [(3, 3), (5, 5)]");
  EXPECT_EQ(Whole(),
            "2: 30 & 130; post held, 3: 130; post linear, 5: 150; post held, "
            "6: 150 & 50; post held");
  EXPECT_EQ(At(), "30 30 130 130 140 150 50 50");
}

struct GapCase {
  const char* rule;
  std::vector<std::string> clips;
  std::string timing;
  std::string manifest;
  const char* whole;
  const char* values;  // at times 0 to 7
};

class ClipSplineGapTest : public ClipSplineTest {
 protected:
  void Check(const std::vector<GapCase>& cases) {
    for (const GapCase& c : cases) {
      Set(c.clips, c.timing, c.manifest);
      EXPECT_EQ(Whole(), c.whole) << c.rule;
      EXPECT_EQ(At(), c.values) << c.rule;
    }
  }
};

TEST_F(ClipSplineGapTest, ClipsWithoutASplineAreBlocks) {
  Check({
      {"between two",
       {kShort, kNone, kShort},
       std::string(kThree),
       "",
       "1: 5; post linear, 3: 6 & 0; post none, 5: 0 & 7; post held",
       "5 5 5.5 - - 7 7 7"},
      {"at the beginning",
       {kNone, kShort},
       std::string(kTwo),
       "",
       "pre: none, 0: 0; post none, 4: 0 & 6.5; post linear, 5: 7; post held",
       "- - - - 6.5 7 7 7"},
      {"at the end",
       {kShort, kNone},
       std::string(kTwo),
       "",
       "post: none, 1: 5; post linear, 4: 6.5 & 0; post none",
       "5 5 5.5 6 - - - -"},
      {"two of them are one gap",
       {kLow, kNone, kNone, kHigh},
       std::string(kFour),
       "",
       "0: 0; post linear, 2: 20 & 0; post none, 6: 0 & 160; post linear, 8: 180; post held",
       "0 10 - - - - 160 170"},
      {"a spline without knots says nothing either",
       {kLow, kNoKnots, kHigh},
       std::string(kThree),
       "",
       "0: 0; post linear, 3: 30 & 0; post none, 5: 0 & 150; post linear, 8: 180; post held",
       "0 10 20 - - 150 160 170"},
      {"a default that is a block",
       {kShort, kNone, kShort},
       std::string(kThree),
       Default("None"),
       "1: 5; post linear, 3: 6 & 0; post none, 5: 0 & 7; post held",
       "5 5 5.5 - - 7 7 7"},
      {"in all clips",
       {kNone, kNone},
       std::string(kTwo),
       Clip("pre: none,"),
       "pre: none, post: none, 0: 0; post none",
       "- - - - - - - -"},
  });
}

TEST_F(ClipSplineGapTest, ClipsWithoutASplineUseTheDefaultOfTheManifest) {
  for (const std::string_view bridge : {std::string_view(), kBridge}) {
    Check({
        {"between two",
         {kShort, kNone, kShort},
         Concat(kThree, bridge),
         Default("4"),
         "1: 5; post linear, 3: 6 & 4; post held, 5: 4 & 7; post held",
         "5 5 5.5 4 4 7 7 7"},
        {"at the beginning",
         {kNone, kShort},
         Concat(kTwo, bridge),
         Default("4"),
         "0: 4; post held, 4: 4 & 6.5; post linear, 5: 7; post held",
         "4 4 4 4 6.5 7 7 7"},
        {"at the end",
         {kShort, kNone},
         Concat(kTwo, bridge),
         Default("4"),
         "1: 5; post linear, 4: 6.5 & 4; post held",
         "5 5 5.5 6 4 4 4 4"},
        {"everywhere",
         {kNone, kNone},
         Concat(kTwo, bridge),
         Default("4"),
         "0: 4; post held",
         "4 4 4 4 4 4 4 4"},
    });
  }
}

TEST_F(ClipSplineGapTest, SetsThatInterpolateMissingValuesBridgeGaps) {
  const std::string two = Concat(kTwo, kBridge);
  const std::string three = Concat(kThree, kBridge);
  Check({
      {"between two",
       {kShort, kNone, kShort},
       three,
       "",
       "1: 5; post linear, 3: 6; post linear, 5: 7; post held",
       "5 5 5.5 6 6.5 7 7 7"},
      {"over two clips",
       {kLow, kNone, kNone, kHigh},
       Concat(kFour, kBridge),
       "",
       "0: 0; post linear, 2: 20; post linear, 6: 160; post linear, 8: 180; post held",
       "0 10 20 55 90 125 160 170"},
      {"from the beginning to the first",
       {kNone, kShort},
       two,
       "",
       "4: 6.5; post linear, 5: 7; post held",
       "6.5 6.5 6.5 6.5 6.5 7 7 7"},
      {"over the first two",
       {kNone, kNone, kShort},
       three,
       "",
       "5: 7; post held",
       "7 7 7 7 7 7 7 7"},
      {"from the last to the end",
       {kShort, kNone},
       two,
       "",
       "1: 5; post linear, 4: 6.5; post linear",
       "5 5 5.5 6 6.5 6.5 6.5 6.5"},
      {"over a block as default",
       {kShort, kNone, kShort},
       three,
       Default("None"),
       "1: 5; post linear, 3: 6; post linear, 5: 7; post held",
       "5 5 5.5 6 6.5 7 7 7"},
  });
}

TEST_F(ClipSplineGapTest, BlocksEndBridges) {
  const std::string two = Concat(kTwo, kBridge);
  const std::string three = Concat(kThree, kBridge);
  Check({
      {"before a block the last value is held",
       {kLow, kNone, kBlocked},
       three,
       "",
       "0: 0; post linear, 3: 30; post linear, 5: 30 & 0; post none, 8: 1; post none",
       "0 10 20 30 30 - - -"},
      {"behind a block there is none",
       {kBlocked, kNone, kLow},
       three,
       "",
       "0: 1; post none, 3: 0; post none, 5: 0 & 50; post linear, 8: 80; post held",
       "- - - - - 50 60 70"},
      {"a spline without knots is a block",
       {kLow, kNone, kNoKnots},
       three,
       "",
       "post: none, 0: 0; post linear, 3: 30; post linear, 5: 30 & 0; post none",
       "0 10 20 30 30 - - -"},
      {"nothing to bridge to",
       {kNone, kNone},
       two,
       Clip("pre: none,"),
       "pre: none, post: none, 0: 0; post none",
       "- - - - - - - -"},
  });
}

TEST_F(ClipSplineGapTest, BlockedKnotsOfTheManifestMarkClipsWithoutASpline) {
  Check({
      {"a gap",
       {kLow, kHigh, kLow},
       std::string(kThree),
       Clip("3: 1; post none,"),
       "0: 0; post linear, 3: 30 & 0; post none, 5: 0 & 50; post linear, 8: 80; post held",
       "0 10 20 - - 50 60 70"},
      {"a bridge",
       {kLow, kHigh, kLow},
       Concat(kThree, kBridge),
       Clip("3: 1; post none,"),
       "0: 0; post linear, 3: 30; post linear, 5: 50; post linear, 8: 80; post held",
       "0 10 20 30 40 50 60 70"},
      {"not of others",
       {kLow, kHigh, kLow},
       Concat(kThree, kBridge),
       Clip("3: 1; post held, 4: 1; post none, 5: 1; post none,"),
       "0: 0; post linear, 3: 30 & 130; post linear, 5: 150; post linear",
       "0 10 20 130 140 150 150 150"},
  });
}

TEST_F(ClipSplineTest, ClipsDeclaredToHaveNoSplineAreNotOpened) {
  Set({kLow, kHigh, kLow}, kThree, Clip("3: 1; post none,"));
  EXPECT_EQ(At(), "0 10 20 - - 50 60 70");
  EXPECT_EQ(scene_.clips().cache().Stats().opens, 2u);
}

TEST_F(ClipSplineTest, BridgesLeadFromLimitToLimit) {
  Set({kLow, kNone, kHigh}, Concat(kThree, kBridge));
  EXPECT_EQ(At(), "0 10 20 30 90 150 160 170");
  EXPECT_EQ(Pre(), "0 10 20 30 90 150 160 170");
}

TEST_F(ClipSplineTest, DefaultsHaveTheTypeOfTheAttribute) {
  for (const char* type : {"double", "float", "half"}) {
    Set({Clip("0: 0.5; post linear, 2: 1,", type), kNone}, kTwo, Default("4.5", type), type);
    EXPECT_EQ(Whole().substr(0, 54), "0: 0.5; post linear, 2: 1; post held, 4: 1 & 4.5; pre ")
        << type;
    EXPECT_EQ(WholeValue().Get<Spline>()->value_type, FindValueTypeName(Token(type))->type) << type;
  }
}

TEST_F(ClipSplineTest, TimeCodesOfSplinesAreMappedToTheStage) {
  Set({Clip("0: 0.5; post linear, 2: 1,", "timecode"), kNone},
      Concat(kTwo, "double2[] times = [(0, 0), (4, 8)]"), Default("4.5", "timecode"), "timecode");
  EXPECT_EQ(Whole().substr(0, 69),
            "0: 0.5 & 0.25; post linear, 1: 0.5; post held, 4: 0.5 & 4.5; pre (1, ");
  for (const auto& [time, value] : {std::pair(0.5, 0.375), {1, 0.5}, {3, 0.5}, {5, 4.5}}) {
    EXPECT_EQ(b_.Get(scene_.context(), TimeCode::At(time)), Value(TimeCodeValue{value})) << time;
  }
}

TEST_F(ClipSplineTest, AttributesDeclaredWithSamplesHaveNoSpline) {
  Set({kLow}, kOne, "def \"M\" {\n  double b.timeSamples = { 0: None }\n}\n");
  EXPECT_EQ(Whole(), "-");
  EXPECT_EQ(At(), "- - - - - - - -");
}

TEST_F(ClipSplineTest, LoopsWithTooManyKnotsAreNotWritten) {
  const std::string loop = Clip("post: loop repeat, 0: 0; post linear, 1: 1,");
  Set({loop, loop}, "double2[] active = [(0, 0), (4, 1)]");
  EXPECT_NE(Whole(), "-");
  EXPECT_EQ(Values(b_, {TimeCode::At(3.5)}), "3.5");
  Set({loop, loop}, "double2[] active = [(0, 0), (1e6, 1)]");
  EXPECT_EQ(Whole(), "-");
  EXPECT_EQ(Values(b_, {TimeCode::At(3.5)}), "3.5");
  Set({loop}, Concat(kOne, "double2[] times = [(0, 0), (10, 1e6)]"));
  EXPECT_EQ(Whole(), "-");
}

TEST_F(ClipSplineTest, RequestsThatEndedWriteNoSpline) {
  Set({Clip("post: loop repeat, 0: 0; post linear, 1: 1,"), kLow},
      "double2[] active = [(0, 0), (1000, 1)]");
  const AttributeSource source = b_.Compile(scene_.context());
  ASSERT_NE(Whole(), "-");
  RequestContext gone;
  gone.Cancel();
  EXPECT_TRUE(source.RetimedSpline(gone).empty());
  RequestContext few(RequestContext::Clock::time_point::max(), {.max_steps = 5000});
  EXPECT_TRUE(source.RetimedSpline(few).empty());
  EXPECT_TRUE(few.failed());
}

TEST_F(ClipSplineTest, ExplainStatesWhetherTheClipHasASpline) {
  Set({kLow, kNone, "broken {"}, kThree, Default("4"));
  EXPECT_EQ(Explain(2),
            "clip set 'default': 3 active entries\n"
            "active clip 0: @./c0.usda@ from the beginning to 3\n"
            "stage time 2 is clip time 2, path /M.b\n"
            "value of the clip's spline");
  EXPECT_EQ(Explain(4),
            "clip set 'default': 3 active entries\n"
            "active clip 1: @./c1.usda@ from 3 to 5\n"
            "stage time 4 is clip time 4, path /M.b\n"
            "the clip has no spline for it");
  EXPECT_EQ(Explain(6),
            "clip set 'default': 3 active entries\n"
            "active clip 2: @./c2.usda@ from 5 to the end\n"
            "stage time 6 is clip time 6, path /M.b\n"
            "the clip layer cannot be opened");
}

TEST_F(ClipSplineTest, ValuesComeFromTheClipOrTheManifest) {
  using Both = std::pair<std::string, std::string>;
  Set({kLow, kNone, kLow}, kThree, Default("4"));
  EXPECT_EQ(LayerAndSpec(2), Both("/c0.usda", "/c0.usda"));
  EXPECT_EQ(LayerAndSpec(3), Both("/m.usda", "/m.usda"));
  EXPECT_EQ(LayerAndSpec(3, /*pre=*/true), Both("/m.usda", "/c0.usda"));
  EXPECT_EQ(LayerAndSpec(5), Both("/c2.usda", "/c2.usda"));
  // A generated manifest is not reported.
  Set({kLow, kNone, kLow}, kThree);
  EXPECT_EQ(LayerAndSpec(2), Both("/c0.usda", "/c0.usda"));
  EXPECT_EQ(LayerAndSpec(3), Both("/c1.usda", "-"));
  Set({kLow, "broken {"}, kTwo);
  EXPECT_EQ(LayerAndSpec(5), Both("-", "-"));
}

TEST_F(ClipSplineTest, SplinesHaveNoSamples) {
  Set({kLow, kNone}, kTwo);
  const AttributeSource source = b_.Compile(scene_.context());
  const ClipAttribute& clips = *source.clip_attribute();
  EXPECT_TRUE(clips.SampleTimes(scene_.context()).empty());
  EXPECT_TRUE(clips.SampleTimesIn(scene_.context(), 0, 8).empty());
  EXPECT_FALSE(clips.Bracketing(scene_.context(), 2));
  EXPECT_TRUE(clips.MightBeTimeVarying(scene_.context()));
  EXPECT_TRUE(clips.has_spline());
}

}  // namespace
}  // namespace stagedoor
