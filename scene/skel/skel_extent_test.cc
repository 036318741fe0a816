// The extents of skeletons and SkelRoots. Expected values come from UsdSkel.
#include "scene/skel/skel_extent.h"

#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"
#include "scene/testing/skeleton_text.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

class SkelExtentTest : public AnswersTest {
 protected:
  // "(min) (max)", "empty" for an empty range, "-" if there is none.
  std::string Extent(std::string_view path, double time = 0) {
    const auto extent =
        ComputeSkelExtent(scene_.context(), stage().FindPrim(path), TimeCode::At(time));
    if (!extent) return "-";
    if (extent->empty()) return "empty";
    const auto corner = [](const Vec3d& v) {
      return Concat("(", v[0], ", ", v[1], ", ", v[2], ")");
    };
    return Concat(corner(extent->min), " ", corner(extent->max));
  }
  // A SkelRoot C with the skeleton of kTwoJoints and more children.
  void Root(std::string_view more, std::string_view animation = "[(1, 0, 0), (0, 2, 5)]") {
    Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)",
                              kTwoJoints, R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = )",
                              animation, R"(
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
)",
                              more, "\n}\n"));
  }
};

TEST_F(SkelExtentTest, ExtentsOfSkeletonsAreThoseOfTheirJoints) {
  Root("");
  EXPECT_EQ(Extent("/C/Skel"), "(1, 0, 0) (1, 2, 5)");
  EXPECT_EQ(Extent("/C"), "(1, 0, 0) (1, 2, 5)");
  EXPECT_EQ(Extent("/C/Anim"), "-");
}

TEST_F(SkelExtentTest, PrimsBeyondTheJointsAtRestPadTheExtent) {
  Root(R"(
  def Mesh "M" {
    float3[] extent = [(-0.5, -3, 0), (0.25, 4, 1)]
  }
)");
  EXPECT_EQ(Extent("/C"), "(-2, -3, -3) (4, 5, 8)");
  Root(R"(
  def Mesh "M" {
    float3[] extent = [(0, 0, 0), (0, 1, 0)]
  }
  def Mesh "N" {
    float3[] extent = [(0, 0, 0), (0.5, 1, 0)]
  }
)");
  EXPECT_EQ(Extent("/C"), "(0.5, -0.5, -0.5) (1.5, 2.5, 5.5)");
}

TEST_F(SkelExtentTest, InvalidExtentsPadNothing) {
  for (const char* extent : {"[(-5, -5, -5)]", "[]", "[(0, 0, 0), (9, 9, 9), (1, 1, 1)]"}) {
    Root(Concat("  def Mesh \"M\" {\n    float3[] extent = ", extent, "\n  }\n"));
    EXPECT_EQ(Extent("/C"), "(1, 0, 0) (1, 2, 5)") << extent;
  }
}

TEST_F(SkelExtentTest, ExtentsAreTransformedByTheBindTransform) {
  Root(R"(
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    float3[] extent = [(0, 0, 0), (0, 1, 0)]
    matrix4d primvars:skel:geomBindTransform = ((1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,7,1))
  }
)");
  EXPECT_EQ(Extent("/C"), "(-6, -7, -7) (8, 9, 12)");
}

TEST_F(SkelExtentTest, TheFirstSampleOfAnExtentCounts) {
  Root(R"(
  def Mesh "M" {
    float3[] extent.timeSamples = { 0: [(0, 0, 0), (0, 4, 0)], 5: [(0, 0, 0), (0, 9, 0)] }
  }
)");
  EXPECT_EQ(Extent("/C", 5), "(-1, -2, -2) (3, 4, 7)");
}

TEST_F(SkelExtentTest, SkeletonsMayBeTransformedBelowTheRoot) {
  Write("root.usda", Concat(R"(
def SkelRoot "R" {
  def Xform "C" {
    double3 xformOp:translate = (100, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
)",
                            kTwoJoints, "\n  }\n}\n"));
  EXPECT_EQ(Extent("/R"), "(100, 0, 0) (100, 2, 0)");
}

TEST_F(SkelExtentTest, ResettingTheStackExcludesTransformsAbove) {
  Write("root.usda", Concat(R"(
def SkelRoot "R" {
  def Xform "T" {
    double3 xformOp:translate = (50, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Xform "C" {
      double3 xformOp:translate = (100, 0, 0)
      uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
)",
                            kTwoJoints, "\n    }\n  }\n}\n"));
  EXPECT_EQ(Extent("/R"), "(100, 0, 0) (100, 2, 0)");
}

TEST_F(SkelExtentTest, OnlyBoundSkeletonsBoundARootWithBoundPrims) {
  const std::string far = R"(
  def Skeleton "Far" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    uniform token[] joints = ["a"]
    uniform matrix4d[] bindTransforms = [
      ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (50, 0, 0, 1))]
    uniform matrix4d[] restTransforms = [
      ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (50, 0, 0, 1))]
  }
)";
  Root(far);
  EXPECT_EQ(Extent("/C"), "(1, 0, 0) (50, 2, 5)");
  Root(Concat(far, "def Mesh \"M\" {}\n"));
  EXPECT_EQ(Extent("/C"), "(1, 0, 0) (1, 2, 5)");
}

TEST_F(SkelExtentTest, InvalidSkeletonsDoNotCountBesideBoundOnes) {
  const std::string invalid =
      "  def Skeleton \"Bad\" { uniform token[] joints = [\"a/b/c\", \"a\"]; }\n";
  Root(Concat(invalid, "def Mesh \"M\" {}\n"));
  EXPECT_EQ(Extent("/C"), "(1, 0, 0) (1, 2, 5)");
  Root(invalid);
  EXPECT_EQ(Extent("/C"), "-");
}

TEST_F(SkelExtentTest, RootsWithoutSkeletonsAreEmpty) {
  Write("root.usda",
        "def SkelRoot \"R\" {\n def Mesh \"M\" { point3f[] points = [(1, 1, 1)]; }\n}\n");
  EXPECT_EQ(Extent("/R"), "empty");
}

}  // namespace
}  // namespace stagedoor
