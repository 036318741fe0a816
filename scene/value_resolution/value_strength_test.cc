// Which opinion answers across layers, arcs, blocks, edits and offsets. Expected values come from
// OpenUSD.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

// /A of "strong.usda" over "weak.usda" over the referenced "model.usda".
class ValueStrengthTest : public AnswersTest {
 protected:
  ValueStrengthTest() {
    Write("root.usda",
          "(subLayers = [@./strong.usda@, @./weak.usda@])\n"
          "def \"A\" (references = @./model.usda@</M>) {}\n");
    Write("model.usda", "def \"M\" {\n}\n");
    Write("strong.usda", "");
    Write("weak.usda", "");
  }
  void Strong(std::string_view properties) {
    Write("strong.usda", Concat("over \"A\" {\n", properties, "\n}\n"));
  }
  void Weak(std::string_view properties) {
    Write("weak.usda", Concat("over \"A\" {\n", properties, "\n}\n"));
  }
  void Model(std::string_view properties) {
    Write("model.usda", Concat("def \"M\" {\n", properties, "\n}\n"));
  }
};

TEST_F(ValueStrengthTest, SublayersAreStrongerThanReferences) {
  Model("double x = 3");
  EXPECT_EQ(At("/A.x", {0}), "3");
  Weak("double x = 2");
  EXPECT_EQ(At("/A.x", {0}), "2");
  Strong("double x = 1");
  EXPECT_EQ(At("/A.x", {0}), "1");
}

TEST_F(ValueStrengthTest, StrongerDefaultsBeatWeakerAnimation) {
  Model("double x.timeSamples = { 1: 10 }\ndouble y.spline = { 1: 10 }");
  Weak("double x = 2\ndouble y = 2");
  EXPECT_EQ(At("/A.x", {1}), "2");
  EXPECT_EQ(At("/A.y", {1}), "2");
  EXPECT_EQ(Samples("/A.x"), "");
}

TEST_F(ValueStrengthTest, StrongerAnimationBeatsAWeakerDefaultButNotAtDefaultTime) {
  Model("double x = 3");
  Weak("double x.timeSamples = { 1: 10 }");
  EXPECT_EQ(At("/A.x", {1}), "10");
  EXPECT_EQ(Default("/A.x"), "3");
}

TEST_F(ValueStrengthTest, BlockedDefaultsHideAllWeakerOpinions) {
  Model("double x = 3\ndouble x.timeSamples = { 1: 10 }");
  Strong("double x = None");
  EXPECT_EQ(At("/A.x", {1}), "-");
  EXPECT_EQ(Default("/A.x"), "-");
  EXPECT_EQ(Samples("/A.x"), "");
}

TEST_F(ValueStrengthTest, SamplesBeatABlockedDefaultOfTheSameSpec) {
  Strong("double x = None\ndouble x.timeSamples = { 1: 10 }");
  Weak("double x = 3");
  EXPECT_EQ(At("/A.x", {1}), "10");
  EXPECT_EQ(Default("/A.x"), "-");
}

TEST_F(ValueStrengthTest, AnimationBlocksHideWeakerSamplesAndSplinesOnly) {
  Strong("double x = AnimationBlock\ndouble y = AnimationBlock\ndouble z = AnimationBlock");
  Weak("double x.timeSamples = { 1: 10 }\ndouble y.spline = { 1: 10 }\ndouble z = 2");
  Model("double x = 3\ndouble y = 3\ndouble z.timeSamples = { 1: 10 }");
  EXPECT_EQ(At("/A.x", {1}), "3");
  EXPECT_EQ(At("/A.y", {1}), "3");
  EXPECT_EQ(At("/A.z", {1}), "2");
  EXPECT_EQ(Default("/A.x"), "3");
}

TEST_F(ValueStrengthTest, SamplesBeatAnAnimationBlockOfTheSameSpec) {
  Strong("double x = AnimationBlock\ndouble x.timeSamples = { 1: 10 }");
  Weak("double x = 3");
  EXPECT_EQ(At("/A.x", {1}), "10");
  EXPECT_EQ(Default("/A.x"), "3");
}

TEST_F(ValueStrengthTest, EmptySamplesAreNotAnOpinion) {
  Strong("double x.timeSamples = {}");
  Weak("double x = 3");
  EXPECT_EQ(At("/A.x", {1}), "3");
}

TEST_F(ValueStrengthTest, SplinesWithoutKnotsAreOpinionsWithoutAValue) {
  Strong("double x.spline = {}");
  Weak("double x = 3");
  EXPECT_EQ(At("/A.x", {1}), "-");
  EXPECT_EQ(Default("/A.x"), "3");
}

TEST_F(ValueStrengthTest, BlockedSamplesHideWeakerDefaults) {
  Strong("double x.timeSamples = { 1: None, 3: 5 }");
  Weak("double x = 3");
  EXPECT_EQ(At("/A.x", {0, 1, 2, 3}), "- - - 5");
}

TEST_F(ValueStrengthTest, FallbacksOfSchemasAreTheWeakest) {
  Write("root.usda", R"(
def Cube "None" {}
def Cube "Own" { double size = 5; }
def Cube "Blocked" { double size = None; }
def Cube "Animated" { double size.timeSamples = { 1: 5 }; }
)");
  EXPECT_EQ(At("/None.size", {1}), "2");
  EXPECT_EQ(Default("/None.size"), "2");
  EXPECT_EQ(At("/Own.size", {1}), "5");
  EXPECT_EQ(At("/Blocked.size", {1}), "2");
  EXPECT_EQ(Default("/Blocked.size"), "-");
  EXPECT_EQ(At("/Animated.size", {1}), "5");
  EXPECT_EQ(Default("/Animated.size"), "2");
  EXPECT_FALSE(Varies("/None.size"));
}

// ---- Array edits

TEST_F(ValueStrengthTest, EditsChangeTheWeakerValue) {
  Model("int[] x = [1, 2]");
  Weak("int[] x = edit [append 3]");
  Strong("int[] x = edit [prepend 0]");
  EXPECT_EQ(Default("/A.x"), "[0, 1, 2, 3]");
  EXPECT_EQ(At("/A.x", {1}), "[0, 1, 2, 3]");
}

TEST_F(ValueStrengthTest, EditsOfNothingApplyToAnEmptyArray) {
  Strong("int[] x = edit [append 3]");
  EXPECT_EQ(Default("/A.x"), "[3]");
}

// At numeric times a block is no value, and edits apply to an empty array.
TEST_F(ValueStrengthTest, EditsOfABlockGiveNoValueAtDefaultTime) {
  Weak("int[] x = None");
  Model("int[] x = [1]");
  Strong("int[] x = edit [append 3]");
  EXPECT_EQ(Default("/A.x"), "-");
  EXPECT_EQ(At("/A.x", {1}), "[3]");
}

TEST_F(ValueStrengthTest, EditsOfEditsOfABlockGiveNoValueAtDefaultTime) {
  Model("int[] x = None");
  Weak("int[] x = edit [append 8]");
  Strong("int[] x = edit [append 9]");
  EXPECT_EQ(Default("/A.x"), "-");
  EXPECT_EQ(At("/A.x", {1}), "[8, 9]");
}

TEST_F(ValueStrengthTest, EditsOfABlockedSampleApplyToAnEmptyArray) {
  Model("int[] x = [1]");
  Weak("int[] x.timeSamples = { 1: None, 2: [5] }");
  Strong("int[] x = edit [append 9]");
  EXPECT_EQ(At("/A.x", {1, 2}), "[9] [5, 9]");
  EXPECT_EQ(Default("/A.x"), "[1, 9]");
}

TEST_F(ValueStrengthTest, EditsChangeWeakerSamplesOneByOne) {
  Weak("int[] x.timeSamples = { 1: [1], 3: [2] }");
  Strong("int[] x = edit [append 9]");
  EXPECT_EQ(At("/A.x", {0, 1, 2, 3}), "[1, 9] [1, 9] [1, 9] [2, 9]");
  EXPECT_EQ(Samples("/A.x"), "1 3");
  EXPECT_TRUE(Varies("/A.x"));
}

TEST_F(ValueStrengthTest, EditsInSamplesChangeTheWeakerValueAtTheTime) {
  Weak("int[] x.timeSamples = { 1: [1], 3: [2] }");
  Strong("int[] x.timeSamples = { 2: edit [append 9], 4: [7] }");
  EXPECT_EQ(At("/A.x", {0, 1, 2, 3, 4}), "[1, 9] [1, 9] [1, 9] [2, 9] [7]");
  EXPECT_EQ(Samples("/A.x"), "1 2 3 4");
  EXPECT_EQ(Around("/A.x", 2.5), "2 3");
  EXPECT_EQ(SamplesIn("/A.x", 2, 3), "2 3");
}

TEST_F(ValueStrengthTest, WeakerSamplesCountWhereTheStrongerSampleIsAnEdit) {
  Weak("int[] x.timeSamples = { 1: None, 2: [4], 5: [1] }");
  Strong("int[] x.timeSamples = { 1: edit [append 5], 3: [4] }");
  EXPECT_EQ(Samples("/A.x"), "1 2 3");
  EXPECT_EQ(Around("/A.x", 4), "3 3");
  EXPECT_EQ(At("/A.x", {0, 1, 2, 3, 5}), "[5] [5] [4, 5] [4] [4]");
  Strong("int[] x.timeSamples = { 2: [4], 3: edit [append 6] }");
  EXPECT_EQ(Samples("/A.x"), "2 3 5");
  EXPECT_EQ(At("/A.x", {0, 2, 3, 5}), "[4] [4] [4, 6] [1, 6]");
  Strong("int[] x.timeSamples = { 2: [4], 3: [5] }");
  EXPECT_EQ(Samples("/A.x"), "2 3");
}

TEST_F(ValueStrengthTest, ASingleEditMayVary) {
  Strong("int[] x.timeSamples = { 2: edit [append 6] }\nint[] y.timeSamples = { 2: [6] }");
  EXPECT_TRUE(Varies("/A.x"));
  EXPECT_FALSE(Varies("/A.y"));
}

// Weaker values are held at the samples of the list, and the results interpolate between them.
TEST_F(ValueStrengthTest, ComposedEditsInterpolateWithDenseSamples) {
  Weak("float[] x.timeSamples = { 0: [2], 2: [4] }");
  Strong("float[] x.timeSamples = { 1: edit [append 1], 3: [8, 5] }");
  EXPECT_EQ(Samples("/A.x"), "0 1 2 3");
  EXPECT_EQ(At("/A.x", {0, 1, 1.5, 2, 2.5, 3, 4}),
            "[2, 1] [2, 1] [3, 1] [4, 1] [6, 3] [8, 5] [8, 5]");
  EXPECT_EQ(Pre("/A.x", {2, 2.5, 3}), "[4, 1] [6, 3] [8, 5]");
  EXPECT_EQ(HeldAt("/A.x", {1.5, 2.5, 3}), "[2, 1] [4, 1] [8, 5]");
  EXPECT_EQ(HeldPre("/A.x", {2, 3}), "[2, 1] [4, 1]");
  Strong("float[] x.timeSamples = { 1: [4, 5], 3: edit [append 1] }");
  EXPECT_EQ(Samples("/A.x"), "1 3");
  EXPECT_EQ(At("/A.x", {1, 2, 3}), "[4, 5] [4, 3] [4, 1]");
}

TEST_F(ValueStrengthTest, PathExpressionsComposeLikeEdits) {
  Weak("pathExpression x.timeSamples = { 1: \"/Y + %_\", 2: \"/Z\" }\npathExpression y = \"/Z\"");
  Strong(
      "pathExpression x = \"/S + %_\"\n"
      "pathExpression y.timeSamples = { 1: \"/S + %_\", 3: \"/T\", 4: None }");
  EXPECT_EQ(At("/A.x", {0, 1, 2, 3}), "\"/S + /Y\" \"/S + /Y\" \"/S + /Z\" \"/S + /Z\"");
  EXPECT_EQ(Default("/A.x"), "\"/S\"");
  EXPECT_EQ(Samples("/A.x"), "1 2");
  EXPECT_EQ(At("/A.y", {1, 2, 3, 4}), "\"/S + /Z\" \"/S + /Z\" \"/T\" -");
  EXPECT_EQ(Default("/A.y"), "\"/Z\"");
  Strong("pathExpression x = \"/S\"");
  EXPECT_EQ(At("/A.x", {1}), "\"/S\"");
  EXPECT_EQ(Samples("/A.x"), "1 2") << "whether or not it refers to the weaker one";
}

TEST_F(ValueStrengthTest, BlocksBelowAPathExpressionLeaveTheExpression) {
  Weak("pathExpression x = None\npathExpression y = None");
  Strong("pathExpression x = \"/S\"\npathExpression y = \"/S + %_\"");
  EXPECT_EQ(Default("/A.x"), "\"/S\"");
  EXPECT_EQ(Default("/A.y"), "\"/S\"") << "nothing is weaker";
}

TEST_F(ValueStrengthTest, AnimationBlocksAboveAnEditHideAnimationBelowIt) {
  Strong("int[] x = AnimationBlock");
  Weak("int[] x = edit [append 9]");
  Model("int[] x = [5]\nint[] x.timeSamples = { 1: [6] }");
  EXPECT_EQ(At("/A.x", {1}), "[5, 9]");
  EXPECT_EQ(Default("/A.x"), "[5, 9]");
}

TEST_F(ValueStrengthTest, TimeCodesOfEditsAreInStageTime) {
  Model("timecode[] x = edit [append 3]\ntimecode[] y = [3]");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M> (offset = 10; scale = 2)) {}\n");
  EXPECT_EQ(Default("/A.x"), "[16]");
  EXPECT_EQ(Default("/A.y"), "[16]");
}

// ---- Offsets

TEST_F(ValueStrengthTest, OffsetsOfArcsAndLayersMultiply) {
  Write("in.usda", "def \"M\" {\n double x.timeSamples = { 1: 10, 2: 20 }\n timecode t = 1\n}\n");
  Write("model.usda", "(subLayers = [@./in.usda@ (offset = 5; scale = 3)])\n");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M> (offset = 10; scale = 2)) {}\n");
  EXPECT_EQ(Samples("/A.x"), "26 32");
  EXPECT_EQ(At("/A.x", {26, 29, 32}), "10 15 20");
  EXPECT_EQ(Default("/A.t"), "26");
  EXPECT_EQ(Around("/A.x", 27), "26 32");
  EXPECT_EQ(SamplesIn("/A.x", 27, 40), "32");
}

TEST_F(ValueStrengthTest, DefaultsThatAreNotTimesHaveNoOffset) {
  Model("double x = 3\ndouble[] y = [3]\ntimecode t = 3\ntimecode[] ts = [1, 2]");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M> (offset = 10; scale = 2)) {}\n");
  EXPECT_EQ(Default("/A.x"), "3");
  EXPECT_EQ(Default("/A.y"), "[3]");
  EXPECT_EQ(Default("/A.t"), "16");
  EXPECT_EQ(Default("/A.ts"), "[12, 14]");
}

TEST_F(ValueStrengthTest, TimeCodesBetweenSamplesAreMappedAfterInterpolation) {
  Model("timecode t.timeSamples = { 0: 0, 2: 4 }\ntimecode[] ts.timeSamples = { 0: [0], 2: [4] }");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M> (offset = 10; scale = 2)) {}\n");
  EXPECT_EQ(At("/A.t", {10, 12, 14}), "10 14 18");
  EXPECT_EQ(At("/A.ts", {10, 12, 14}), "[10] [14] [18]");
  EXPECT_EQ(HeldAt("/A.t", {12}), "10");
}

TEST_F(ValueStrengthTest, OffsetsMayBeNegativeAndScalesShrink) {
  Model("double x.timeSamples = { 1: 1 }");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M> (offset = -4; scale = 0.5)) {}\n");
  EXPECT_EQ(Samples("/A.x"), "-3.5");
  EXPECT_EQ(At("/A.x", {-3.5}), "1");
}

// ---- Pre-times

TEST_F(ValueStrengthTest, PreTimesAreLimitsInLayerTime) {
  Model("int i.timeSamples = { 1: 10, 2: 20 }\ndouble d.timeSamples = { 1: 10, 2: 20 }");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M> (offset = 10; scale = 2)) {}\n");
  EXPECT_EQ(Pre("/A.i", {12, 14, 15}), "10 10 20");
  EXPECT_EQ(Pre("/A.d", {12, 13, 14, 15}), "10 15 20 20");
  EXPECT_EQ(HeldPre("/A.d", {12, 13, 14, 15}), "10 10 10 20");
}

}  // namespace
}  // namespace stagedoor
