// The values of a clip set over time. Expected values come from OpenUSD.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

// Clips "c0.usda" and "c1.usda" of </C>, and a prim R with a set of them.
class ClipValuesTest : public AnswersTest {
 protected:
  ClipValuesTest() {
    Write("c0.usda", R"(
def "C" {
  double x.timeSamples = { 0: 0, 10: 100 }
  int i.timeSamples = { 0: 1, 10: 2 }
  string s.timeSamples = { 0: "first", 10: "second" }
  float[] a.timeSamples = { 0: [0, 0], 4: [4, 8], 8: [1] }
  quatf q.timeSamples = { 0: (1, 0, 0, 0), 2: (0, 1, 0, 0) }
  double d = 4
  uniform double u.timeSamples = { 0: 7 }
  timecode t.timeSamples = { 0: 0, 10: 10 }
}
)");
    Write("c1.usda", R"(
def "C" {
  double x.timeSamples = { 0: 1000, 10: 2000 }
  int i.timeSamples = { 5: 3 }
}
)");
  }
  void Play(std::string_view timing) {
    Write("root.usda", Concat(R"(
def "R" (
  clips = { dictionary default = {
    asset[] assetPaths = [@./c0.usda@, @./c1.usda@]
    string primPath = "/C"
    )",
                              timing, R"(
  } }
) {
  double x
  int i
  string s
  float[] a
  quatf q
  double d
  double u
  timecode t
}
)"));
  }
};

TEST_F(ClipValuesTest, WithoutTimesStageTimeIsClipTime) {
  Play("double2[] active = [(0, 0), (5, 1)]");
  EXPECT_EQ(At("/R.x", {-1, 0, 2, 4.5, 5, 8, 10, 12}), "0 0 600 1350 1500 1800 2000 2000");
  EXPECT_EQ(Pre("/R.x", {0, 5, 10}), "0 1500 2000");
  EXPECT_EQ(Samples("/R.x"), "0 5 10");
  EXPECT_EQ(Around("/R.x", 2), "0 5");
  EXPECT_EQ(Around("/R.x", 7), "5 10");
  EXPECT_EQ(Around("/R.x", -3), "0 0");
  EXPECT_EQ(Around("/R.x", 30), "10 10");
}

TEST_F(ClipValuesTest, DescendantsAreBelowThePrimPathInTheClip) {
  Write("c0.usda", "def \"C\" {\n def \"K\" { double x.timeSamples = { 0: 7 }; }\n}\n");
  Write("root.usda", R"(
def "R" (
  clips = { dictionary default = {
    asset[] assetPaths = [@./c0.usda@]
    string primPath = "/C"
    double2[] active = [(0, 0)]
  } }
) {
  def "K" {
    double x
  }
}
)");
  EXPECT_EQ(At("/R/K.x", {0}), "7");
}

TEST_F(ClipValuesTest, EntriesOfActiveMayBeInAnyOrder) {
  Play("double2[] active = [(5, 1), (0, 0)]");
  EXPECT_EQ(At("/R.x", {0, 5}), "0 1500");
}

TEST_F(ClipValuesTest, OneClipMayBeActiveSeveralTimes) {
  Play("double2[] active = [(0, 0), (2, 1), (4, 0)]");
  EXPECT_EQ(At("/R.x", {1, 3, 5}), "600 620 50");
}

TEST_F(ClipValuesTest, TheFirstClipIsActiveBeforeItsStart) {
  Play("double2[] active = [(4, 0), (8, 1)]");
  EXPECT_EQ(At("/R.x", {-5, 0, 3, 4}), "0 0 30 40");
  EXPECT_EQ(Samples("/R.x"), "0 4 8 10");
}

TEST_F(ClipValuesTest, TypesThatDoNotInterpolateAreHeld) {
  Play("double2[] active = [(0, 0)]");
  EXPECT_EQ(At("/R.i", {0, 9, 10, 11}), "1 1 2 2");
  EXPECT_EQ(Pre("/R.i", {10}), "1");
  EXPECT_EQ(At("/R.s", {0, 9, 10}), "\"first\" \"first\" \"second\"");
}

TEST_F(ClipValuesTest, BeforeASampleTheLastClipWithOneIsUsed) {
  Play("double2[] active = [(0, 0), (5, 1), (10, 0)]\nbool interpolateMissingClipValues = true");
  EXPECT_EQ(At("/R.s", {8, 10}), "\"first\" \"second\"");
  EXPECT_EQ(Pre("/R.s", {8, 10}), "\"first\" \"first\"");
}

TEST_F(ClipValuesTest, ArraysInterpolateWhereTheirSizesAreEqual) {
  Play("double2[] active = [(0, 0)]");
  EXPECT_EQ(At("/R.a", {0, 1, 4, 6, 8}), "[0, 0] [1, 2] [4, 8] [4, 8] [1]");
  EXPECT_EQ(Pre("/R.a", {4, 8}), "[4, 8] [4, 8]");
}

TEST_F(ClipValuesTest, QuaternionsAreSlerped) {
  Play("double2[] active = [(0, 0)]");
  EXPECT_EQ(At("/R.q", {0, 1, 2}), "(1, 0, 0, 0) (0.70710677, 0.70710677, 0, 0) (0, 1, 0, 0)");
}

TEST_F(ClipValuesTest, HeldInterpolationHoldsSamplesOfClips) {
  Play("double2[] active = [(0, 0), (12, 1)]");
  EXPECT_EQ(HeldAt("/R.x", {0, 5, 10, 11, 12, 13}), "0 0 100 100 2000 2000");
  EXPECT_EQ(HeldPre("/R.x", {5, 10, 12}), "0 0 100");
}

TEST_F(ClipValuesTest, DefaultsOfClipsAreIgnored) {
  Play("double2[] active = [(0, 0)]");
  EXPECT_EQ(At("/R.d", {0, 1}), "- -");
  EXPECT_EQ(Samples("/R.d"), "");
}

TEST_F(ClipValuesTest, UniformAttributesHaveNoClips) {
  Play("double2[] active = [(0, 0)]");
  EXPECT_EQ(At("/R.u", {0, 1}), "- -");
}

TEST_F(ClipValuesTest, TimesStretchAClip) {
  Play("double2[] active = [(0, 0)]\ndouble2[] times = [(0, 0), (20, 10)]");
  EXPECT_EQ(At("/R.x", {0, 5, 10, 20, 25}), "0 25 50 100 100");
  EXPECT_EQ(At("/R.t", {0, 5, 10, 20}), "0 5 10 20");
  EXPECT_EQ(Samples("/R.x"), "0 20");
  EXPECT_EQ(Around("/R.x", 5), "0 20");
}

TEST_F(ClipValuesTest, TimesMayBeInAnyOrder) {
  Play("double2[] active = [(0, 0)]\ndouble2[] times = [(20, 10), (0, 0)]");
  EXPECT_EQ(At("/R.x", {0, 5, 10, 20}), "0 25 50 100");
}

TEST_F(ClipValuesTest, KnotsOfTimesAreSamplesWhereTheClipHasNone) {
  Play("double2[] active = [(0, 0)]\ndouble2[] times = [(0, 0), (4, 8), (6, 10)]");
  EXPECT_EQ(Samples("/R.x"), "0 4 6");
  EXPECT_EQ(At("/R.x", {2, 4, 5, 6}), "40 80 90 100");
  EXPECT_EQ(HeldAt("/R.x", {2, 4, 5, 6}), "0 0 0 100");
}

TEST_F(ClipValuesTest, SingleEntryOfTimesHoldsTheClip) {
  Play("double2[] active = [(0, 0)]\ndouble2[] times = [(5, 3)]");
  EXPECT_EQ(At("/R.x", {0, 5, 9}), "30 30 30");
  EXPECT_EQ(Samples("/R.x"), "0 5");
}

TEST_F(ClipValuesTest, TheStartOfAClipIsASample) {
  Play("double2[] active = [(0, 0), (5, 1)]");
  EXPECT_EQ(At("/R.i", {4, 5, 6}), "1 3 3");
  EXPECT_EQ(Pre("/R.i", {5}), "1");
  EXPECT_EQ(Samples("/R.i"), "0 5");
}

TEST_F(ClipValuesTest, TheNextClipAnswersFromItsStartOn) {
  Write("c0.usda", "def \"C\" { double x.timeSamples = { 0: 0, 5: 50 }; }\n");
  Play("double2[] active = [(0, 0), (5, 1)]");
  EXPECT_EQ(At("/R.x", {4, 5}), "1200 1500");
  EXPECT_EQ(HeldAt("/R.x", {4, 5}), "0 1000");
  EXPECT_EQ(Around("/R.x", 4), "0 5");
  EXPECT_EQ(SamplesIn("/R.x", 0, 5), "0 5");
}

TEST_F(ClipValuesTest, SamplesOutsideTheActiveRangeAreIgnored) {
  Play("double2[] active = [(0, 0), (3, 1)]");
  EXPECT_EQ(SamplesIn("/R.x", -100, 100), "0 3 10");
  EXPECT_EQ(SamplesIn("/R.x", 0, 2), "0");
  EXPECT_EQ(SamplesIn("/R.x", 3, 10), "3 10");
  EXPECT_EQ(SamplesIn("/R.x", 4, 9), "");
}

TEST_F(ClipValuesTest, ClipsWithoutTheAttributeAreBlocks) {
  Play("double2[] active = [(0, 0), (5, 1), (8, 0)]");
  EXPECT_EQ(At("/R.s", {4, 5, 7, 8}), "\"first\" - - \"first\"");
  EXPECT_EQ(Pre("/R.s", {5, 8}), "\"first\" -");
  EXPECT_EQ(Samples("/R.s"), "0 5 8 10");
}

TEST_F(ClipValuesTest, ClipsWithoutTheAttributeAreSkippedIfMissingValuesInterpolate) {
  Play("double2[] active = [(0, 0), (5, 1), (8, 0)]\nbool interpolateMissingClipValues = true");
  EXPECT_EQ(At("/R.s", {4, 5, 7, 8}), "\"first\" \"first\" \"first\" \"first\"");
  EXPECT_EQ(At("/R.a", {4, 5, 7, 8}), "[4, 8] [4, 8] [4, 8] [1]");
  EXPECT_EQ(Samples("/R.s"), "0 8 10");
}

TEST_F(ClipValuesTest, ValuesMightVaryWithTwoClipsOrSamples) {
  Play("double2[] active = [(0, 0)]");
  EXPECT_TRUE(Varies("/R.x"));
  Write("c0.usda", "def \"C\" { double x.timeSamples = { 0: 1 }; }\n");
  EXPECT_FALSE(Varies("/R.x"));
  Play("double2[] active = [(1, 0)]");
  EXPECT_TRUE(Varies("/R.x")) << "its start is a sample too";
  Play("double2[] active = [(0, 0), (5, 0)]");
  EXPECT_TRUE(Varies("/R.x"));
}

// ---- Templates

class ClipTemplateValuesTest : public AnswersTest {
 protected:
  ClipTemplateValuesTest() {
    Write("t.1.usda", "def \"C\" { double x.timeSamples = { 1: 10, 2: 20, 3: 30 }; }\n");
    Write("t.2.usda", "def \"C\" { double x.timeSamples = { 1: 110, 2: 120, 3: 130 }; }\n");
    Write("t.3.usda", "def \"C\" { double x.timeSamples = { 1: 210, 2: 220, 3: 230 }; }\n");
  }
  void Play(std::string_view more) {
    Write("root.usda", Concat(R"(
def "R" (
  clips = { dictionary default = {
    string templateAssetPath = "./t.#.usda"
    string primPath = "/C"
    )",
                              more, "\n  } }\n) { double x; }\n"));
  }
};

constexpr std::string_view kOneToThree = R"(
    double templateStartTime = 1
    double templateEndTime = 3
    double templateStride = 1
)";

TEST_F(ClipTemplateValuesTest, EachFileIsActiveFromItsNumberOn) {
  Play(kOneToThree);
  EXPECT_EQ(At("/R.x", {0, 1, 1.5, 2, 2.5, 3, 4}), "10 10 65 120 175 230 230");
  EXPECT_EQ(Samples("/R.x"), "1 2 3");
}

TEST_F(ClipTemplateValuesTest, APositiveOffsetActivatesFilesLater) {
  Play(Concat(kOneToThree, "double templateActiveOffset = 0.5"));
  EXPECT_EQ(At("/R.x", {0, 1, 1.5, 2, 2.5, 3, 3.5, 4}), "10 10 15 20 125 130 230 230");
  EXPECT_EQ(Samples("/R.x"), "0.5 1 1.5 2 2.5 3 3.5");
}

// The curve extends on both sides by the length of the offset.
TEST_F(ClipTemplateValuesTest, ANegativeOffsetActivatesFilesEarlier) {
  Play(Concat(kOneToThree, "double templateActiveOffset = -0.5"));
  EXPECT_EQ(At("/R.x", {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4}), "10 10 10 115 120 225 230 230 230");
  EXPECT_EQ(Samples("/R.x"), "0.5 1 1.5 2 2.5 3 3.5");
}

TEST_F(ClipTemplateValuesTest, TemplatesNeedAllThreeNumbers) {
  Play("double templateStartTime = 1; double templateEndTime = 3");
  EXPECT_EQ(At("/R.x", {1}), "-");
  Play("double templateStartTime = 1; double templateStride = 1");
  EXPECT_EQ(At("/R.x", {1}), "-");
  Play("double templateEndTime = 3; double templateStride = 1");
  EXPECT_EQ(At("/R.x", {1}), "-");
}

TEST_F(ClipTemplateValuesTest, TemplateTimesHaveTheOffsetOfTheirLayer) {
  Play(kOneToThree);
  Write("top.usda", "");
  Write("set.usda", Concat(R"(
over "R" (
  clips = { dictionary default = {
    string templateAssetPath = "./t.#.usda"
    string primPath = "/C"
    )",
                           kOneToThree, "\n  } }\n) { double x; }\n"));
  Write("root.usda", "(subLayers = [@./set.usda@ (offset = 10; scale = 2)])\n");
  EXPECT_EQ(Samples("/R.x"), "12 14 16");
  EXPECT_EQ(At("/R.x", {12, 13, 14, 16}), "10 65 120 230");
}

}  // namespace
}  // namespace stagedoor
