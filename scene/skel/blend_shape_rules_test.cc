// How blend shapes move points and normals. Expected values come from UsdSkel.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/skel/testing/skin_fixture.h"

namespace stagedoor {
namespace {

constexpr std::string_view kShapes = R"(
    uniform token[] skel:blendShapes = ["one", "two"]
    rel skel:blendShapeTargets = [</C/M/One>, </C/M/Two>]
    def BlendShape "One" {
      uniform vector3f[] offsets = [(1, 0, 0), (0, 1, 0)]
    }
    def BlendShape "Two" {
      uniform vector3f[] offsets = [(0, 0, 8)]
      uniform int[] pointIndices = [1]
      uniform vector3f[] inbetweens:half = [(0, 0, 2)] (weight = 0.5)
      uniform vector3f[] inbetweens:low = [(0, 0, -4)] (weight = -1)
    }
)";

// An animation of the rest pose with these weights.
std::string Weights(std::string_view shapes, std::string_view weights) {
  return Concat("  def SkelAnimation \"Anim\" {\n    uniform token[] blendShapes = ", shapes,
                "\n    float[] blendShapeWeights = ", weights, "\n  }\n");
}

using BlendShapeRulesTest = SkinRulesTest;

TEST_F(BlendShapeRulesTest, ShapesMovePointsByTheirWeights) {
  Rig(Weights(R"(["one", "two"])", "[0.5, 0]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0.5, 0, 0) (0, 3.5, 0)");
  Rig(Weights(R"(["one", "two"])", "[-1, 0]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(-1, 0, 0) (0, 2, 0)");
  Rig(Weights(R"(["one", "two"])", "[1, 1]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (0, 4, 8)");
}

TEST_F(BlendShapeRulesTest, WeightsAreMappedToShapesByName) {
  Rig(Weights(R"(["two", "elsewhere", "one"])", "[0, 1, 0.5]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0.5, 0, 0) (0, 3.5, 0)");
  Rig(Weights(R"(["two"])", "[1]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 8)");
}

TEST_F(BlendShapeRulesTest, InbetweensApplyAtTheirWeights) {
  Rig(Weights(R"(["two"])", "[0.25]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 1)");
  Rig(Weights(R"(["two"])", "[0.5]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 2)");
  Rig(Weights(R"(["two"])", "[0.75]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 5)");
  Rig(Weights(R"(["two"])", "[-0.5]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, -2)");
  Rig(Weights(R"(["two"])", "[2]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 20)");
  Rig(Weights(R"(["two"])", "[-3]"), Concat(kMesh, kShapes));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, -12)");
}

TEST_F(BlendShapeRulesTest, ShapesOfTheWrongSizeMoveNothing) {
  constexpr std::string_view kLong = R"(
    uniform token[] skel:blendShapes = ["one"]
    rel skel:blendShapeTargets = </C/M/One>
    def BlendShape "One" {
      uniform vector3f[] offsets = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    }
)";
  constexpr std::string_view kFar = R"(
    uniform token[] skel:blendShapes = ["one"]
    rel skel:blendShapeTargets = </C/M/One>
    def BlendShape "One" {
      uniform vector3f[] offsets = [(1, 0, 0)]
      uniform int[] pointIndices = [2]
    }
)";
  Rig(Weights(R"(["one"])", "[1]"), Concat(kMesh, kLong));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)");
  Rig(Weights(R"(["one"])", "[1]"), Concat(kMesh, kFar));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)");
}

TEST_F(BlendShapeRulesTest, InvalidShapesMoveNothing) {
  const auto moved = [&](std::string_view shape) {
    Rig(Weights(R"(["one"])", "[1]"), Concat(kMesh, R"(
    uniform token[] skel:blendShapes = ["one"]
    rel skel:blendShapeTargets = </C/M/One>
)",
                                             shape));
    return Points("/C/M");
  };
  constexpr std::string_view kStill = "(0, 0, 0) (0, 3, 0)";
  const auto shape = [](std::string_view more, std::string_view metadata = "") {
    return Concat("    def BlendShape \"One\" ", metadata,
                  "{\n      uniform vector3f[] offsets = [(1, 0, 0)]\n", more, "\n    }\n");
  };
  EXPECT_EQ(moved(shape("uniform int[] pointIndices = [1]")), "(0, 0, 0) (1, 3, 0)");
  EXPECT_EQ(moved(shape("uniform uint[] pointIndices = [1]")), "(0, 0, 0) (1, 3, 0)");
  EXPECT_EQ(moved(shape("uniform int[] pointIndices = [-1]")), kStill);
  EXPECT_EQ(moved(shape("uniform int[] pointIndices = [0, 1]")), kStill);
  EXPECT_EQ(moved(shape("")), kStill) << "one offset for two points";
  EXPECT_EQ(moved(shape("uniform int[] pointIndices = [1]", "(active = false) ")), kStill);
  EXPECT_EQ(moved(""), kStill);
}

TEST_F(BlendShapeRulesTest, InbetweensNeedAWeightOtherThanZeroAndOne) {
  const auto moved = [&](std::string_view metadata) {
    Rig(Weights(R"(["one"])", "[0.5]"), Concat(kMesh, R"(
    uniform token[] skel:blendShapes = ["one"]
    rel skel:blendShapeTargets = </C/M/One>
    def BlendShape "One" {
      uniform vector3f[] offsets = [(0, 0, 8), (0, 0, 8)]
      uniform vector3f[] inbetweens:half = [(0, 0, 2), (0, 0, 2)] )",
                                               metadata, "\n    }\n"));
    return Points("/C/M");
  };
  EXPECT_EQ(moved("(weight = 0.5)"), "(0, 0, 2) (0, 3, 2)");
  for (const char* none : {"", "(weight = 0)", "(weight = 1)"}) {
    EXPECT_EQ(moved(none), "(0, 0, 4) (0, 3, 4)") << none;
  }
}

TEST_F(BlendShapeRulesTest, ShapesMoveNormalsToo) {
  Rig(Weights(R"(["one"])", "[1]"), Concat(kMesh, R"(
    normal3f[] normals = [(1, 0, 0), (0, 1, 0)] (interpolation = "vertex")
    uniform token[] skel:blendShapes = ["one"]
    rel skel:blendShapeTargets = </C/M/One>
    def BlendShape "One" {
      uniform vector3f[] offsets = [(1, 0, 0), (0, 1, 0)]
      uniform vector3f[] normalOffsets = [(0, 1, 0), (0, 0, 0)]
    }
)"));
  EXPECT_EQ(Normals("/C/M"), "(0.7071, 0.7071, 0) (0, 1, 0)");
}

TEST_F(BlendShapeRulesTest, ShapesAreNotInherited) {
  Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  uniform token[] skel:blendShapes = ["one"]
  rel skel:blendShapeTargets = </C/One>
  def BlendShape "One" {
    uniform vector3f[] offsets = [(1, 0, 0), (0, 1, 0)]
  }
)",
                            kTwoJoints, Weights(R"(["one"])", "[1]"), R"(
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
)",
                            kMesh, "\n  }\n}\n"));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)");
}

TEST_F(BlendShapeRulesTest, ShapesNeedTheAppliedApiSchema) {
  Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)",
                            kTwoJoints, Weights(R"(["one", "two"])", "[1, 1]"),
                            "  def Mesh \"M\" {\n", kMesh, kShapes, "\n  }\n}\n"));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)");
}

}  // namespace
}  // namespace stagedoor
