// The strength of value clips among the opinions of a stage. Expected values come from OpenUSD.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

// Metadata of a prim with a clip set that reads </C> of "c.usda".
constexpr std::string_view kClips = R"(
  clips = { dictionary default = {
    asset[] assetPaths = [@./c.usda@]
    double2[] active = [(0, 0)]
    string primPath = "/C"
  } }
)";

class ClipStrengthTest : public AnswersTest {
 protected:
  ClipStrengthTest() {
    Write("c.usda", R"(
def "C" {
  double x.timeSamples = { 1: 10, 3: 30 }
  timecode t.timeSamples = { 1: 1, 3: 3 }
  def "K" {
    double x.timeSamples = { 1: 100, 3: 300 }
  }
}
)");
    Write("clips.usda", Concat("def \"A\" (", kClips, ") {\n}\n"));
  }
};

TEST_F(ClipStrengthTest, ClipsOfAStrongerReferenceCoverChildrenOfAWeakerOne) {
  Write("model.usda", "def \"B\" {\n def \"K\" { double x = 7; }\n}\n");
  Write("root.usda", "def \"R\" (references = [@./clips.usda@</A>, @./model.usda@</B>]) {}\n");
  EXPECT_EQ(At("/R/K.x", {0, 1, 2, 3, 4}), "100 100 200 300 300");
  EXPECT_EQ(Samples("/R/K.x"), "0 1 3");
  EXPECT_EQ(Default("/R/K.x"), "7");
}

TEST_F(ClipStrengthTest, ClipsOfAWeakerReferenceLoseToAStrongerDefault) {
  Write("model.usda", "def \"B\" {\n def \"K\" { double x = 7; }\n}\n");
  Write("root.usda", "def \"R\" (references = [@./model.usda@</B>, @./clips.usda@</A>]) {}\n");
  EXPECT_EQ(At("/R/K.x", {0, 1, 2}), "7 7 7");
  EXPECT_EQ(Samples("/R/K.x"), "");
}

TEST_F(ClipStrengthTest, ClipsOfAWeakerReferenceAnswerWithoutAStrongerValue) {
  Write("model.usda", "def \"B\" {\n def \"K\" { double x; }\n}\n");
  Write("root.usda", "def \"R\" (references = [@./model.usda@</B>, @./clips.usda@</A>]) {}\n");
  EXPECT_EQ(At("/R/K.x", {1, 2}), "100 200");
}

// In the layer stack of the set: "strong.usda" over "mid.usda", which has the clips, over
// "weak.usda".
class ClipLayersTest : public ClipStrengthTest {
 protected:
  ClipLayersTest() {
    Write("root.usda", "(subLayers = [@./strong.usda@, @./mid.usda@, @./weak.usda@])\n");
    Write("strong.usda", "");
    Write("mid.usda", Concat("def \"R\" (", kClips, ") { double x; }\n"));
    Write("weak.usda", "");
  }
};

TEST_F(ClipLayersTest, DefaultsOfStrongerLayersWin) {
  Write("strong.usda", "over \"R\" { double x = 5; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "5 5");
}

TEST_F(ClipLayersTest, SamplesOfStrongerLayersWin) {
  Write("strong.usda", "over \"R\" { double x.timeSamples = { 1: 5, 2: 6 }; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "5 6");
}

TEST_F(ClipLayersTest, SplinesOfStrongerLayersWin) {
  Write("strong.usda", "over \"R\" { double x.spline = { 1: 5; post linear, 2: 6 }; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "5 6");
}

// The opinions below an edit are found among those of prims with clips too.
TEST_F(ClipLayersTest, EditsOfStrongerLayersChangeWeakerDefaults) {
  Write("strong.usda", "over \"R\" { int[] y = edit [append 3]; }\n");
  Write("weak.usda", "over \"R\" { int[] y = [1, 2]; }\n");
  EXPECT_EQ(At("/R.y", {1}), "[1, 2, 3]");
}

TEST_F(ClipLayersTest, EditsInClipsChangeWeakerValues) {
  Write("c.usda", R"(
def "C" {
  int[] y.timeSamples = { 0: [0], 2: edit [append 5], 6: [1], 8: edit [append 9] }
  pathExpression e.timeSamples = { 0: "/S + %_", 2: "/T" }
}
)");
  Write("weak.usda", R"(
over "R" {
  int[] y.timeSamples = { -1: [7], 3: [8], 7: [9], 20: [10] }
  pathExpression e.timeSamples = { -1: "/W1", 3: "/W2" }
}
)");
  EXPECT_EQ(At("/R.y", {-2, 0, 2, 3, 6, 8}), "[0] [0] [7, 5] [8, 5] [1] [9, 9]");
  EXPECT_EQ(Samples("/R.y"), "0 2 3 6 8 20");
  EXPECT_EQ(SamplesIn("/R.y", 1, 4), "2 3");
  EXPECT_EQ(SamplesIn("/R.y", 6, 7), "6");
  EXPECT_EQ(Around("/R.y", 2.5), "2 3");
  EXPECT_EQ(At("/R.e", {0, 1, 2, 3}), "\"/S + /W1\" \"/S + /W1\" \"/T\" \"/T\"");
}

// Between samples of two clips, the values that the edits result in interpolate. Expected values
// are those of the stages that OpenUSD flattens.
class ClipEditsTest : public ClipLayersTest {
 protected:
  // Clips from "c.usda", "d.usda" and "e.usda", active from 0, 4 and 8.
  ClipEditsTest() {
    Write("mid.usda", R"(
def "R" (
  clips = { dictionary default = {
    asset[] assetPaths = [@./c.usda@, @./d.usda@, @./e.usda@]
    double2[] active = [(0, 0), (4, 1), (8, 2)]
    string primPath = "/C"
    bool interpolateMissingClipValues = true
  } }
)
{
}
)");
  }
};

TEST_F(ClipEditsTest, ValuesInterpolateTowardsAnEditInTheNextClip) {
  Write("c.usda", "def \"C\" { double[] z.timeSamples = { 0: [4, 8] }; }\n");
  Write("d.usda", "def \"C\" { double[] z.timeSamples = { 5: edit [write 6 to [0]] }; }\n");
  Write("e.usda", "");
  Write("weak.usda", "over \"R\" { double[] z = [1, 2]; }\n");
  EXPECT_EQ(At("/R.z", {0, 2, 4}), "[4, 8] [5, 5] [6, 2]");
}

TEST_F(ClipEditsTest, ValuesInterpolateFromAnEditTowardsTheStartOfTheNextClip) {
  Write("c.usda", "def \"C\" { double[] z.timeSamples = { 0: edit [write 6 to [0]] }; }\n");
  Write("d.usda", "def \"C\" { double[] z.timeSamples = { 2: [0, 0], 6: [8, 8] }; }\n");
  Write("e.usda", "");
  Write("weak.usda", "over \"R\" { double[] z = [1, 2]; }\n");
  EXPECT_EQ(At("/R.z", {0, 2, 4, 5}), "[6, 2] [5, 3] [4, 4] [6, 6]");
}

TEST_F(ClipEditsTest, EditsHeldPastTheirClipChangeWeakerValues) {
  Write("c.usda", "def \"C\" { double[] z.timeSamples = { 0: edit [append 6] }; }\n");
  Write("d.usda", "def \"C\" { }\n");
  Write("e.usda", "def \"C\" { double[] z.timeSamples = { 8: [9, 9] }; }\n");
  Write("weak.usda", "over \"R\" { double[] z.timeSamples = { 0: [1], 6: [7] }; }\n");
  EXPECT_EQ(At("/R.z", {0, 3, 7, 8}), "[1, 6] [4, 6] [8, 7.5] [9, 9]");
  EXPECT_EQ(Around("/R.z", 5), "0 6");
}

TEST_F(ClipLayersTest, EditsInClipsOfAStrongerSetChangeThoseOfAWeakerOne) {
  Write("c.usda", "def \"C\" { int[] y.timeSamples = { 0: [0], 2: edit [append 5] }; }\n");
  Write("d.usda", "def \"C\" { int[] y.timeSamples = { 0: [3], 1: edit [append 6] }; }\n");
  Write("mid.usda", R"(
def "R" (
  clips = {
    dictionary a = {
      asset[] assetPaths = [@./c.usda@]
      double2[] active = [(0, 0)]
      string primPath = "/C"
    }
    dictionary b = {
      asset[] assetPaths = [@./d.usda@]
      double2[] active = [(0, 0)]
      string primPath = "/C"
    }
  }
)
{
}
)");
  Write("weak.usda", "over \"R\" { int[] y = [7]; }\n");
  EXPECT_EQ(At("/R.y", {0, 2}), "[0] [7, 6, 5]");
}

TEST_F(ClipLayersTest, DefaultsOfWeakerLayersLose) {
  Write("weak.usda", "over \"R\" { double x = 5; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "10 20");
  EXPECT_EQ(Default("/R.x"), "5");
}

TEST_F(ClipLayersTest, SamplesOfWeakerLayersLose) {
  Write("weak.usda", "over \"R\" { double x.timeSamples = { 1: 5, 2: 6 }; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "10 20");
}

TEST_F(ClipLayersTest, SamplesOfTheSameLayerWin) {
  Write("mid.usda",
        Concat("def \"R\" (", kClips, ") { double x.timeSamples = { 1: 5, 2: 6 }; }\n"));
  EXPECT_EQ(At("/R.x", {1, 2}), "5 6");
}

TEST_F(ClipLayersTest, BlockedDefaultsOfStrongerLayersHideClips) {
  Write("strong.usda", "over \"R\" { double x = None; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "- -");
}

TEST_F(ClipLayersTest, AnimationBlocksOfStrongerLayersHideClipsButNotWeakerDefaults) {
  Write("strong.usda", "over \"R\" { double x = AnimationBlock; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "- -");
  Write("weak.usda", "over \"R\" { double x = 5; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "5 5");
}

TEST_F(ClipLayersTest, BlockedDefaultsOfWeakerLayersHideNothing) {
  Write("weak.usda", "over \"R\" { double x = None; }\n");
  EXPECT_EQ(At("/R.x", {1, 2}), "10 20");
}

TEST_F(ClipStrengthTest, ClipsOfAPrimAnswerForItsDescendants) {
  Write("root.usda", Concat("def \"R\" (", kClips, ") {\n def \"K\" { double x; }\n}\n"));
  EXPECT_EQ(At("/R/K.x", {1, 2}), "100 200");
  EXPECT_EQ(Samples("/R/K.x"), "0 1 3");
}

TEST_F(ClipStrengthTest, ClipsOfAPrimDoNotAnswerForItsSiblingsOrParent) {
  Write("root.usda", Concat("def \"P\" { double x\n def \"R\" (", kClips,
                            ") { double x; }\n def \"S\" { double x; }\n}\n"));
  EXPECT_EQ(At("/P.x", {1}), "-");
  EXPECT_EQ(At("/P/R.x", {1}), "10");
  EXPECT_EQ(At("/P/S.x", {1}), "-");
}

constexpr std::string_view kNearerClips = R"(
  clips = { dictionary default = {
    asset[] assetPaths = [@./near.usda@]
    double2[] active = [(0, 0)]
    string primPath = "/N"
  } }
)";

TEST_F(ClipStrengthTest, NearerClipsAreStrongerThanThoseOfAncestors) {
  Write("near.usda", "def \"N\" { double x.timeSamples = { 1: 1 }; }\n");
  Write("root.usda", Concat("def \"R\" (", kClips, ") {\n def \"K\" (", kNearerClips,
                            ") { double x; double y; }\n}\n"));
  EXPECT_EQ(At("/R/K.x", {1, 3}), "1 1");
}

TEST_F(ClipStrengthTest, ClipsOfAncestorsFillGapsOfNearerOnes) {
  Write("near.usda", "def \"N\" { double y.timeSamples = { 1: 1 }; }\n");
  Write("root.usda", Concat("def \"R\" (", kClips, ") {\n def \"K\" (", kNearerClips,
                            ") { double x; double y; }\n}\n"));
  EXPECT_EQ(At("/R/K.x", {1, 3}), "100 300");
  EXPECT_EQ(At("/R/K.y", {1, 3}), "1 1");
}

// Layers are compared first, ancestors second.
TEST_F(ClipStrengthTest, ClipsOfAncestorsInStrongerLayersBeatNearerOnesInWeakerLayers) {
  Write("near.usda", "def \"N\" { double x.timeSamples = { 1: 1 }; }\n");
  Write("weak.usda", Concat("over \"R\" {\n def \"K\" (", kNearerClips, ") { double x; }\n}\n"));
  Write("root.usda", Concat("(subLayers = [@./weak.usda@])\ndef \"R\" (", kClips, ") {\n}\n"));
  EXPECT_EQ(At("/R/K.x", {1, 3}), "100 300");
}

TEST_F(ClipStrengthTest, ClipsComeThroughEveryKindOfArc) {
  Write("root.usda", Concat("class \"A\" (", kClips, ") {\n}\n", R"(
def "Reference" (references = @./clips.usda@</A>) { double x; }
def "Payload" (payload = @./clips.usda@</A>) { double x; }
def "Inherit" (inherits = </A>) { double x; }
def "Specialize" (specializes = </A>) { double x; }
)"));
  EXPECT_EQ(At("/Reference.x", {1, 2}), "10 20");
  EXPECT_EQ(At("/Payload.x", {1, 2}), "10 20");
  EXPECT_EQ(At("/Inherit.x", {1, 2}), "10 20");
  EXPECT_EQ(At("/Specialize.x", {1, 2}), "10 20");
}

TEST_F(ClipStrengthTest, ClipsMayBeDefinedInAVariant) {
  Write("root.usda", Concat(R"(
def "R" (
  variantSets = "v"
  variants = { string v = "on" }
) {
  variantSet "v" = {
    "on" ()",
                            kClips, R"() {
      def "K" { double x; }
    }
    "off" { }
  }
  double x
}
)"));
  EXPECT_EQ(At("/R.x", {1, 2}), "10 20");
  EXPECT_EQ(At("/R/K.x", {1, 2}), "100 200");
}

TEST_F(ClipStrengthTest, OffsetsOfArcsMoveClipsAndTheirTimeCodes) {
  Write("root.usda",
        "def \"R\" (references = @./clips.usda@</A> (offset = 100; scale = 2)) {\n"
        "  double x\n  timecode t\n}\n");
  EXPECT_EQ(Samples("/R.x"), "100 102 106");
  EXPECT_EQ(At("/R.x", {102, 103, 104, 106}), "10 15 20 30");
  EXPECT_EQ(At("/R.t", {102, 104, 106}), "102 104 106");
  EXPECT_EQ(Around("/R.x", 103), "102 106");
  EXPECT_EQ(SamplesIn("/R.x", 101, 105), "102");
}

TEST_F(ClipStrengthTest, OffsetsOfSublayersMoveClips) {
  Write("mid.usda", Concat("def \"R\" (", kClips, ") { double x; }\n"));
  Write("root.usda", "(subLayers = [@./mid.usda@ (offset = -1; scale = 0.5)])\n");
  EXPECT_EQ(Samples("/R.x"), "-1 -0.5 0.5");
  EXPECT_EQ(At("/R.x", {-1, -0.5, 0, 0.5, 1}), "10 10 20 30 30");
}

// As in OpenUSD, the prims that instances share do not see clips on the instances themselves.
TEST_F(ClipStrengthTest, ClipsOfAnInstanceAnswerForItselfOnly) {
  Write("model.usda",
        Concat("def \"B\" (", kClips, ") {\n double x\n def \"K\" { double x; }\n}\n"));
  Write("root.usda", "def \"I\" (\n instanceable = true\n references = @./model.usda@</B>\n) {}\n");
  EXPECT_EQ(At("/I.x", {1, 2}), "10 20");
  EXPECT_EQ(At("/I/K.x", {1, 2}), "- -");
}

TEST_F(ClipStrengthTest, ClipsInInstancesAnswerThroughInstanceProxies) {
  Write("model.usda", Concat("def \"B\" {\n def \"E\" (", kClips, ") { double x; }\n}\n"));
  Write("root.usda", R"(
def "I" (
  instanceable = true
  references = @./model.usda@</B>
) {
}
def "J" (
  instanceable = true
  references = @./model.usda@</B> (offset = 10)
) {
}
)");
  EXPECT_EQ(At("/I/E.x", {1, 2}), "10 20");
  EXPECT_EQ(At("/J/E.x", {11, 12}), "10 20");
  EXPECT_FALSE(Varies("/I/E.x")) << "as OpenUSD answers in prototypes";
}

TEST_F(ClipStrengthTest, AttributesWithoutSpecsMayHaveClips) {
  Write("root.usda", Concat("def Cube \"R\" (", kClips, ") {\n}\n"));
  Write("c.usda", "def \"C\" { double size.timeSamples = { 1: 10, 3: 30 }; }\n");
  EXPECT_EQ(At("/R.size", {1, 2}), "10 20");
  EXPECT_EQ(Default("/R.size"), "2");
}

}  // namespace
}  // namespace stagedoor
