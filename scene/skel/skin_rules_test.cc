// How skeletons move the prims that are bound to them. Expected values come from UsdSkel.
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/skel/testing/skin_fixture.h"

namespace stagedoor {
namespace {

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Turns the joint a/b by 90 degrees about z.
constexpr std::string_view kTurned = R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = [(0, 0, 0), (0, 2, 0)]
    quatf[] rotations = [(1, 0, 0, 0), (0.70710678, 0, 0, 0.70710678)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
)";

// ---- Poses

TEST_F(SkinRulesTest, JointsMoveWithTheirParents) {
  Rig(kMoved, kMesh);
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 5)");
}

TEST_F(SkinRulesTest, AnimationsMayListJointsInAnyOrder) {
  Rig(R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b", "elsewhere", "a"]
    float3[] translations = [(0, 2, 5), (9, 9, 9), (1, 0, 0)]
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1), (1, 1, 1)]
  }
)",
      kMesh);
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 5)");
}

TEST_F(SkinRulesTest, JointsWithoutAnimationAreAtRest) {
  Rig(R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a"]
    float3[] translations = [(1, 0, 0)]
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
  }
)",
      kMesh);
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 0)");
}

TEST_F(SkinRulesTest, SkeletonsWithoutAMatchingAnimationAreAtRest) {
  Rig(R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = [(1, 0, 0)]
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
)",
      kMesh);
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)");
  Rig("", kMesh);
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)");
}

TEST_F(SkinRulesTest, AnimationsNeedAllArraysForAllJoints) {
  const std::string good = R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = [(1, 0, 0), (0, 2, 5)]
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
)";
  Rig(good, kMesh);
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 5)");
  const std::pair<const char*, const char*> kDamages[] = {
      {"float3[] translations = [(1, 0, 0), (0, 2, 5)]", ""},
      {"quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]", ""},
      {"half3[] scales = [(1, 1, 1), (1, 1, 1)]", ""},
      {"[(1, 0, 0), (0, 2, 5)]", "[]"},
      {"[(1, 0, 0, 0), (1, 0, 0, 0)]", "[(1, 0, 0, 0)]"},
      {"[(1, 1, 1), (1, 1, 1)]", "[(1, 1, 1)]"},
      {"def SkelAnimation", "def Xform"},
      {"\"Anim\" {", "\"Anim\" (active = false) {"},
  };
  for (const auto& [from, to] : kDamages) {
    Rig(Replaced(good, from, to), kMesh);
    EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)") << from << " to " << to;
  }
}

TEST_F(SkinRulesTest, ScalesAndRotationsOfParentsApplyToChildren) {
  Rig(R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = [(0, 0, 0), (0, 2, 0)]
    quatf[] rotations = [(0.70710678, 0, 0, 0.70710678), (1, 0, 0, 0)]
    half3[] scales = [(2, 3, 1), (1, 1, 1)]
  }
)",
      kMesh);
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (-9, 0, 0)");
}

TEST_F(SkinRulesTest, PosesInterpolateBetweenSamples) {
  Rig(R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations.timeSamples = { 0: [(0, 0, 0), (0, 2, 0)], 10: [(10, 0, 0), (0, 2, 0)] }
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
)",
      kMesh);
  EXPECT_EQ(Points("/C/M", 5), "(5, 0, 0) (5, 3, 0)");
  EXPECT_EQ(Points("/C/M", 20), "(10, 0, 0) (10, 3, 0)");
}

// ---- Influences

TEST_F(SkinRulesTest, WeightsBlendJoints) {
  Rig(kMoved, R"(
    point3f[] points = [(0, 0, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [0, 1, 1, 0] (elementSize = 2; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [0.75, 0.25, 1, 0] (elementSize = 2; interpolation = "vertex")
)");
  EXPECT_EQ(Points("/C/M"), "(1, 0, 1.25) (1, 3, 5)");
}

TEST_F(SkinRulesTest, WeightsAreNotNormalized) {
  Rig(kMoved, R"(
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [0, 1, 1, 0] (elementSize = 2; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [0.25, 0.25, 2, 0] (elementSize = 2; interpolation = "vertex")
)");
  EXPECT_EQ(Points("/C/M"), "(0.5, 0.5, 1.25) (2, 6, 10)");
}

TEST_F(SkinRulesTest, NegativeWeightsMoveInTheOppositeDirection) {
  Rig(kMoved, R"(
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [0, 1, 1, 0] (elementSize = 2; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [-1, -1, -0.5, 1.5] (elementSize = 2; interpolation = "vertex")
)");
  EXPECT_EQ(Points("/C/M"), "(-2, -2, -5) (1, 3, -2.5)");
}

TEST_F(SkinRulesTest, DualQuaternionsWithNegativeWeights) {
  Rig(kMoved, R"(
    uniform token primvars:skel:skinningMethod = "dualQuaternion"
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [0, 1, 1, 0] (elementSize = 2; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [-1, -1, -0.5, 1.5] (elementSize = 2; interpolation = "vertex")
)");
  EXPECT_EQ(Points("/C/M"), "(1, 1, 2.5) (1, 3, -2.5)");
}

TEST_F(SkinRulesTest, InfluencesMayBeIndexed) {
  Rig(kMoved, R"(
    point3f[] points = [(0, 0, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [1, 0] (elementSize = 1; interpolation = "vertex")
    int[] primvars:skel:jointIndices:indices = [1, 0]
    float[] primvars:skel:jointWeights = [1] (elementSize = 1; interpolation = "vertex")
    int[] primvars:skel:jointWeights:indices = [0, 0]
)");
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 5)");
}

TEST_F(SkinRulesTest, ConstantInfluencesMoveTheWholePrim) {
  Rig(kMoved, R"(
    point3f[] points = [(0, 0, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [1] (elementSize = 1; interpolation = "constant")
    float[] primvars:skel:jointWeights = [1] (elementSize = 1; interpolation = "constant")
)");
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)");
  EXPECT_EQ(Moved("/C/M"), "(1, 0, 5)");
}

TEST_F(SkinRulesTest, SeveralConstantInfluencesBlend) {
  Rig(kMoved, R"(
    point3f[] points = [(0, 0, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [0, 1] (elementSize = 2; interpolation = "constant")
    float[] primvars:skel:jointWeights = [0.5, 0.5] (elementSize = 2; interpolation = "constant")
    matrix4d primvars:skel:geomBindTransform = ((1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,7,1))
)");
  EXPECT_EQ(Moved("/C/M"), "(1, 0, 9.5)");
}

TEST_F(SkinRulesTest, PrimsMayHaveTheirOwnJointOrder) {
  Rig(kMoved, Concat(kMesh, "uniform token[] skel:joints = [\"a/b\", \"a\"]"));
  EXPECT_EQ(Points("/C/M"), "(1, 0, 5) (1, 3, 0)");
  Rig(kMoved, Concat(kMesh, "uniform token[] skel:joints = [\"elsewhere\", \"a\"]"));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (1, 3, 0)");
}

TEST_F(SkinRulesTest, InfluencesThatDoNotMatchThePointsMoveNothing) {
  Rig(kMoved, R"(
    point3f[] points = [(0, 0, 0), (0, 3, 0), (1, 1, 1)]
    int[] primvars:skel:jointIndices = [0, 1] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1, 1] (elementSize = 1; interpolation = "vertex")
)");
  EXPECT_EQ(Points("/C/M"), "-");
}

TEST_F(SkinRulesTest, InfluencesThatDoNotMatchEachOtherMoveNothing) {
  const std::string mesh = R"(
    point3f[] points = [(0, 0, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [0, 1] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1, 1] (elementSize = 1; interpolation = "vertex")
)";
  Rig(kMoved, mesh);
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 5)");
  const std::pair<const char*, const char*> kDamages[] = {
      {"jointWeights = [1, 1]", "jointWeights = [1, 1, 1]"},
      {"jointWeights = [1, 1] (elementSize = 1", "jointWeights = [1, 1] (elementSize = 2"},
      {"jointIndices = [0, 1] (elementSize = 1; interpolation = \"vertex\"",
       "jointIndices = [0, 1] (elementSize = 1; interpolation = \"uniform\""},
      {"float[] primvars:skel:jointWeights = [1, 1]", "float[] primvars:skel:jointWeights"},
      {"int[] primvars:skel:jointIndices = [0, 1]", "int[] primvars:skel:jointIndices"},
  };
  for (const auto& [from, to] : kDamages) {
    Rig(kMoved, Replaced(mesh, from, to));
    EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)") << to;
  }
}

// ---- Spaces

TEST_F(SkinRulesTest, TheBindTransformComesBeforeTheJoints) {
  Rig(R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = [(0, 0, 0), (0, 2, 0)]
    quatf[] rotations = [(0.70710678, 0, 0, 0.70710678), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
)",
      Concat(kMesh,
             "matrix4d primvars:skel:geomBindTransform = "
             "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 0, 0, 1))"));
  EXPECT_EQ(Points("/C/M"), "(0, 5, 0) (-3, 5, 0)");
}

TEST_F(SkinRulesTest, BindTransformsMayBeProjective) {
  Rig(kMoved, Concat(kMesh,
                     "matrix4d primvars:skel:geomBindTransform = "
                     "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 2))"));
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 1.5, 5)");
}

TEST_F(SkinRulesTest, PointsAreInThePrimsSpace) {
  Rig(kMoved, Concat(kMesh,
                     "double3 xformOp:translate = (0, 0, 100)\n"
                     "uniform token[] xformOpOrder = [\"xformOp:translate\"]"));
  EXPECT_EQ(Points("/C/M"), "(1, 0, -100) (1, 3, -95)");
}

// ---- Normals

TEST_F(SkinRulesTest, NormalsRotateWithTheirJoints) {
  Rig(R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = [(0, 0, 0), (0, 2, 0)]
    quatf[] rotations = [(1, 0, 0, 0), (0.70710678, 0, 0, 0.70710678)]
    half3[] scales = [(1, 1, 1), (1, 4, 1)]
  }
)",
      Concat(kMesh,
             R"(normal3f[] normals = [(1, 0, 0), (0.6, 0.8, 0)] (interpolation = "vertex"))"));
  EXPECT_EQ(Normals("/C/M"), "(1, 0, 0) (-0.3162, 0.9487, 0)");
}

TEST_F(SkinRulesTest, FaceVaryingNormalsFollowTheirPoints) {
  Rig(kTurned, Concat(kMesh, R"(
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [1, 0, 1]
    normal3f[] normals = [(1, 0, 0), (1, 0, 0), (0, 1, 0)] (interpolation = "faceVarying")
)"));
  EXPECT_EQ(Normals("/C/M"), "(0, 1, 0) (1, 0, 0) (-1, 0, 0)");
}

// The influences that are prepared once for all times are not those of animated faces.
TEST_F(SkinRulesTest, FaceVaryingNormalsFollowAnimatedFaces) {
  Rig(kTurned, Concat(kMesh, R"(
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices.timeSamples = { 0: [0, 0, 0], 1: [1, 0, 1] }
    normal3f[] normals = [(1, 0, 0), (1, 0, 0), (0, 1, 0)] (interpolation = "faceVarying")
)"));
  EXPECT_EQ(Normals("/C/M", 0), "(1, 0, 0) (1, 0, 0) (0, 1, 0)");
  EXPECT_EQ(Normals("/C/M", 1), "(0, 1, 0) (1, 0, 0) (-1, 0, 0)");
}

// ---- Bindings

TEST_F(SkinRulesTest, SkeletonsAreInheritedFromTheBindingPrim) {
  Write("root.usda", Concat("def SkelRoot \"C\" {\n", kTwoJoints, kMoved, R"(
  def Xform "G" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    rel skel:skeleton = </C/Skel>
    def Mesh "Below" {}
    def Mesh "Blocked" (
      prepend apiSchemas = ["SkelBindingAPI"]
    ) {
      rel skel:skeleton = None
    }
    def Xform "Deep" {
      def Points "Points" {}
      def Sphere "Sphere" {}
      def "Typeless" { def Mesh "Mesh" {}
      }
    }
  }
  def Mesh "Beside" {}
  def Mesh "WithoutApi" { rel skel:skeleton = </C/Skel>; }
}
def Mesh "Outside" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
}
)"));
  EXPECT_EQ(Bindings(),
            "/C/G/Below by /C/Skel, /C/G/Deep/Points by /C/Skel, /C/G/Deep/Sphere by /C/Skel");
}

TEST_F(SkinRulesTest, BindingsFollowRelationshipsToRelationships) {
  const auto bound = [&](std::string_view target) {
    Rig(kMoved, Concat(kMesh, "    rel skel:skeleton = ", target, R"(
    rel to = </C/M.further>
    rel further = </C/Skel>
    rel empty = []
    rel cycle = </C/M.cycle>
    rel declared
    custom int attribute
)"));
    return Bindings();
  };
  constexpr const char* kBound = "/C/M by /C/Skel";
  EXPECT_EQ(bound("</C/M.to>"), kBound);
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 5)");
  EXPECT_EQ(bound("[</C/M.empty>, </C/M.to>]"), kBound);
  // A target that is not a prim unbinds, and so does an empty list.
  EXPECT_EQ(bound("</C/M.empty>"), "");
  EXPECT_EQ(bound("</C/M.attribute>"), "");
  // Without an opinion at the end, the binding is inherited.
  EXPECT_EQ(bound("</C/M.cycle>"), kBound);
  EXPECT_EQ(bound("</C/M.declared>"), kBound);
}

TEST_F(SkinRulesTest, AnimationSourcesFollowRelationshipsToRelationships) {
  Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  def Scope "Links" { rel to = </C/Anim>; }
)",
                            Replaced(kTwoJoints, "</C/Anim>", "</C/Links.to>"), kMoved, R"(
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
)",
                            kMesh, "\n  }\n}\n"));
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 5)");
}

TEST_F(SkinRulesTest, InfluencesAreInherited) {
  Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  int[] primvars:skel:jointIndices = [1] (elementSize = 1; interpolation = "constant")
  float[] primvars:skel:jointWeights = [1] (elementSize = 1; interpolation = "constant")
)",
                            kTwoJoints, kMoved, R"(
  def Mesh "M" { point3f[] points = [(0, 0, 0)]; }
  def Mesh "Own" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 0, 0)]
    int[] primvars:skel:jointIndices = [0] (elementSize = 1; interpolation = "constant")
  }
}
)"));
  EXPECT_EQ(Moved("/C/M"), "(1, 0, 5)");
  EXPECT_EQ(Moved("/C/Own"), "(1, 0, 0)");
}

TEST_F(SkinRulesTest, BindTransformsAndJointOrdersAreInherited) {
  Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  matrix4d primvars:skel:geomBindTransform = ((1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,7,1))
  uniform token[] skel:joints = ["a/b", "a"]
)",
                            kTwoJoints, kMoved, R"(
  def Xform "Low" {
    def Mesh "M" (
      prepend apiSchemas = ["SkelBindingAPI"]
    ) {
)",
                            kMesh, "\n    }\n  }\n}\n"));
  EXPECT_EQ(Points("/C/Low/M"), "(1, 0, 12) (1, 3, 7)");
}

TEST_F(SkinRulesTest, AttributesWithoutTheAppliedApiSchemaAreIgnored) {
  Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)",
                            kTwoJoints, kMoved, "  def Mesh \"M\" {\n", kMesh, "\n  }\n}\n"));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 0) (0, 3, 0)");
}

TEST_F(SkinRulesTest, TheSkinningMethodIsInherited) {
  Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  uniform token primvars:skel:skinningMethod = "dualQuaternion"
)",
                            kTwoJoints, kTurned, R"(
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 3, 0)]
    int[] primvars:skel:jointIndices = [0, 1] (elementSize = 2; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [0.5, 0.5] (elementSize = 2; interpolation = "vertex")
  }
}
)"));
  EXPECT_EQ(Points("/C/M"), "(-0.7071, 2.7071, 0)");
}

TEST_F(SkinRulesTest, TheNearestAnimationAtOrAboveTheSkeletonMovesIt) {
  constexpr std::string_view kOther = R"(
  def SkelAnimation "Other" {
    uniform token[] joints = ["a"]
    float3[] translations = [(0, 0, 50)]
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
  }
)";
  const std::string without =
      Replaced(std::string(kTwoJoints), "rel skel:animationSource = </C/Anim>", "");
  const std::string mesh =
      Concat("def Mesh \"M\" (prepend apiSchemas = [\"SkelBindingAPI\"]) {\n", kMesh, "\n}\n");
  const std::string root =
      "def SkelRoot \"C\" (prepend apiSchemas = [\"SkelBindingAPI\"]) {\n"
      "rel skel:skeleton = </C/Skel>\nrel skel:animationSource = </C/Other>\n";
  Write("root.usda", Concat(root, kTwoJoints, kMoved, kOther, mesh, "}\n"));
  EXPECT_EQ(Points("/C/M"), "(1, 0, 0) (1, 3, 5)");
  Write("root.usda", Concat(root, without, kMoved, kOther, mesh, "}\n"));
  EXPECT_EQ(Points("/C/M"), "(0, 0, 50) (0, 3, 50)");
}

}  // namespace
}  // namespace stagedoor
