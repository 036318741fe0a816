// Which prims contribute to bounds and in which space. Expected results come from OpenUSD.
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/geom/bbox_cache.h"
#include "scene/testing/answers_fixture.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

class BBoxRulesTest : public AnswersTest {
 protected:
  // The world bound for default purpose: "(min) (max)", or "empty".
  std::string World(std::string_view path, double time = 0) {
    return Of(path, time, {"default"}, &BBoxCache::WorldBound);
  }
  std::string WorldAtDefault(std::string_view path) {
    return Of(path, TimeCode::Default(), {"default"}, &BBoxCache::WorldBound);
  }
  std::string WorldOfPurposes(std::string_view path, const std::vector<std::string>& purposes) {
    return Of(path, 0, purposes, &BBoxCache::WorldBound);
  }
  std::string WorldByHints(std::string_view path, const std::vector<std::string>& purposes) {
    options_of_bounds_.use_extents_hint = true;
    return Of(path, 0, purposes, &BBoxCache::WorldBound);
  }
  std::string WorldOfHidden(std::string_view path) {
    options_of_bounds_.ignore_visibility = true;
    return Of(path, 0, {"default"}, &BBoxCache::WorldBound);
  }
  std::string Local(std::string_view path) {
    return Of(path, 0, {"default"}, &BBoxCache::LocalBound);
  }
  std::string Untransformed(std::string_view path) {
    return Of(path, 0, {"default"}, &BBoxCache::UntransformedBound);
  }

 private:
  using Bound = BBox3d (BBoxCache::*)(RequestContext& context, const Prim& prim);

  static std::string Corner(const Vec3d& v) {
    const auto round = [](double x) { return std::round(x * 1e5) / 1e5 + 0.0; };
    return Concat("(", round(v[0]), ", ", round(v[1]), ", ", round(v[2]), ")");
  }
  std::string Of(std::string_view path, double time, const std::vector<std::string>& purposes,
                 Bound bound) {
    return Of(path, TimeCode::At(time), purposes, bound);
  }
  std::string Of(std::string_view path, TimeCode time, const std::vector<std::string>& purposes,
                 Bound bound) {
    BBoxCacheOptions options = std::exchange(options_of_bounds_, {});
    for (const std::string& purpose : purposes) options.purposes.push_back(Token(purpose));
    BBoxCache cache(time, std::move(options));
    const Range3d range = (cache.*bound)(scene_.context(), stage().FindPrim(path)).AlignedRange();
    return range.empty() ? "empty" : Concat(Corner(range.min), " ", Corner(range.max));
  }

  BBoxCacheOptions options_of_bounds_;
};

constexpr std::string_view kMoved = R"(
    double3 xformOp:translate = (10, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
)";

TEST_F(BBoxRulesTest, BoundsAreInWorldParentOrOwnSpace) {
  Write("root.usda", Concat("def Xform \"A\" {\n", kMoved, "def Cube \"B\" {\n", kMoved, "}\n}\n"));
  EXPECT_EQ(World("/A/B"), "(19, -1, -1) (21, 1, 1)");
  EXPECT_EQ(Local("/A/B"), "(9, -1, -1) (11, 1, 1)");
  EXPECT_EQ(Untransformed("/A/B"), "(-1, -1, -1) (1, 1, 1)");
  EXPECT_EQ(World("/A"), "(19, -1, -1) (21, 1, 1)");
  EXPECT_EQ(Local("/A"), "(19, -1, -1) (21, 1, 1)");
  EXPECT_EQ(Untransformed("/A"), "(9, -1, -1) (11, 1, 1)");
}

// At default time opinions of the wrong type do not count; at numeric times the strongest opinion
// decides, and there is no bound if it has the wrong type.
TEST_F(BBoxRulesTest, SizesOfTheWrongTypeDoNotCount) {
  struct Case {
    std::string_view type, weak, strong, at_default, at_time;
  };
  constexpr Case kCases[] = {
      {"Sphere", "", "float radius = 3", "(-1, -1, -1) (1, 1, 1)", "empty"},
      {"Sphere", "", "int radius.timeSamples = { 1: 3 }", "(-1, -1, -1) (1, 1, 1)", "empty"},
      {"Sphere", "double radius = 4", "half radius = 3", "(-4, -4, -4) (4, 4, 4)", "empty"},
      {"Sphere", "double radius = 4", "half radius = None", "empty", "(-1, -1, -1) (1, 1, 1)"},
      {"Sphere", "float radius = 4", "double radius = 2", "(-2, -2, -2) (2, 2, 2)",
       "(-2, -2, -2) (2, 2, 2)"},
      {"Cube", "", "float size = 4", "(-1, -1, -1) (1, 1, 1)", "empty"},
      {"Cylinder", "double radius = 3", "float height = 8", "(-3, -3, -1) (3, 3, 1)", "empty"},
      {"Cone", "double radius = 3", "string axis = \"X\"", "(-3, -3, -1) (3, 3, 1)", "empty"},
      {"Plane", "", "float width = 4", "(-1, -1, 0) (1, 1, 0)", "(-1, -1, 0) (1, 1, 0)"},
      {"Plane", "double width = 6", "int width = 4", "(-3, -1, 0) (3, 1, 0)",
       "(-3, -1, 0) (3, 1, 0)"},
      {"SphereLight", "", "double inputs:radius = 3", "(-0.5, -0.5, -0.5) (0.5, 0.5, 0.5)",
       "empty"},
      {"Mesh", "point3f[] points = [(1, 1, 1)]", "double3[] points = [(4, 4, 4)]",
       "(1, 1, 1) (1, 1, 1)", "empty"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(Concat(c.type, ": ", c.strong, " over ", c.weak));
    Write("weak.usda", Concat("def ", c.type, " \"A\" {\n", c.weak, "\n}\n"));
    Write("root.usda",
          Concat("(\n subLayers = [@./weak.usda@]\n)\nover \"A\" {\n", c.strong, "\n}\n"));
    EXPECT_EQ(WorldAtDefault("/A"), c.at_default);
    EXPECT_EQ(World("/A", 2), c.at_time);
  }
}

TEST_F(BBoxRulesTest, OnlyActiveDefinedConcretePrimsAreIncluded) {
  Write("root.usda", R"(
def Xform "A" {
  def Cube "Inactive" (active = false) { double size = 10; }
  over Cube "Undefined" { double size = 20; }
  class Cube "Abstract" { double size = 30; }
  def Cube "B" {}
}
)");
  EXPECT_EQ(World("/A"), "(-1, -1, -1) (1, 1, 1)");
}

TEST_F(BBoxRulesTest, NonImageablePrimsAreExcluded) {
  Write("root.usda", R"(
def Xform "A" {
  def Material "M" {
    def Cube "Below" { double size = 10; }
  }
  def "Typeless" {
    def Cube "Below" { double size = 4; }
  }
}
)");
  EXPECT_EQ(World("/A"), "(-2, -2, -2) (2, 2, 2)");
}

TEST_F(BBoxRulesTest, InvisiblePrimsAreExcludedUnlessQueriedDirectly) {
  Write("root.usda", R"(
def Xform "A" {
  def Xform "Hidden" {
    token visibility = "invisible"
    def Cube "B" { double size = 10; }
  }
  def Cube "Shown" {}
}
)");
  EXPECT_EQ(World("/A"), "(-1, -1, -1) (1, 1, 1)");
  EXPECT_EQ(World("/A/Hidden"), "(-5, -5, -5) (5, 5, 5)");
  EXPECT_EQ(World("/A/Hidden/B"), "(-5, -5, -5) (5, 5, 5)");
  EXPECT_EQ(WorldOfHidden("/A"), "(-5, -5, -5) (5, 5, 5)");
}

TEST_F(BBoxRulesTest, OnlyRequestedPurposesAreIncluded) {
  Write("root.usda", R"(
def Xform "A" {
  def Cube "Default" {}
  def Cube "Render" {
    uniform token purpose = "render"
    double size = 4
  }
  def Xform "Proxy" {
    uniform token purpose = "proxy"
    def Cube "B" { double size = 6; }
  }
  def Cube "Guide" {
    uniform token purpose = "guide"
    double size = 8
  }
}
)");
  EXPECT_EQ(World("/A"), "(-1, -1, -1) (1, 1, 1)");
  EXPECT_EQ(WorldOfPurposes("/A", {"render"}), "(-2, -2, -2) (2, 2, 2)");
  EXPECT_EQ(WorldOfPurposes("/A", {"proxy"}), "(-3, -3, -3) (3, 3, 3)");
  EXPECT_EQ(WorldOfPurposes("/A", {"guide", "default"}), "(-4, -4, -4) (4, 4, 4)");
  EXPECT_EQ(WorldOfPurposes("/A/Proxy/B", {"default"}), "empty");
  EXPECT_EQ(WorldOfPurposes("/A", {}), "empty");
}

TEST_F(BBoxRulesTest, AuthoredExtentsAreUsedUnchanged) {
  Write("root.usda", R"(
def Mesh "Mesh" {
  point3f[] points = [(0, 0, 0), (5, 5, 5)]
  float3[] extent.timeSamples = { 0: [(-1, -1, -1), (1, 1, 1)], 2: [(-3, -3, -3), (3, 3, 3)] }
}
def Cube "Cube" { float3[] extent = [(0, 0, 0), (0.5, 0.5, 0.5)]; }
def Mesh "Blocked" {
  point3f[] points = [(0, 0, 0), (5, 5, 5)]
  float3[] extent = None
}
)");
  EXPECT_EQ(World("/Mesh", 0), "(-1, -1, -1) (1, 1, 1)");
  EXPECT_EQ(World("/Mesh", 1), "(-2, -2, -2) (2, 2, 2)");
  EXPECT_EQ(World("/Cube"), "(0, 0, 0) (0.5, 0.5, 0.5)");
  EXPECT_EQ(World("/Blocked"), "(0, 0, 0) (5, 5, 5)");
}

TEST_F(BBoxRulesTest, PointsWithoutWidthsHaveNoSize) {
  Write("root.usda", R"(
def Points "P" { point3f[] points = [(0, 0, 0), (4, 1, 0)]; }
def Points "Odd" {
  point3f[] points = [(0, 0, 0), (4, 1, 0)]
  float[] widths = [2]
}
def BasisCurves "C" {
  point3f[] points = [(0, 0, 0), (4, 1, 0)]
  float[] widths = [2]
}
def Mesh "M" {
  point3f[] points = [(0, 0, 0), (4, 1, 0)]
  float[] widths = [2]
}
def Mesh "None" {}
)");
  EXPECT_EQ(World("/P"), "(0, 0, 0) (4, 1, 0)");
  EXPECT_EQ(World("/Odd"), "empty");
  EXPECT_EQ(World("/C"), "(-1, -1, -1) (5, 2, 1)");
  EXPECT_EQ(World("/M"), "(0, 0, 0) (4, 1, 0)");
  EXPECT_EQ(World("/None"), "empty");
}

TEST_F(BBoxRulesTest, RoundShapesFollowTheirAxis) {
  Write("root.usda", R"(
def Cylinder "X" { uniform token axis = "X"; double height = 10; double radius = 2; }
def Capsule "Y" { uniform token axis = "Y"; double height = 10; double radius = 2; }
def Cone "Z" { uniform token axis = "Z"; double height = 10; double radius = 2; }
def Plane "PX" { uniform token axis = "X"; double width = 10; double length = 4; }
def Plane "PY" { uniform token axis = "Y"; double width = 10; double length = 4; }
def Capsule_1 "CX" {
  uniform token axis = "X"
  double height = 10
  double radiusTop = 1
  double radiusBottom = 2
}
def Cylinder_1 "CY" {
  uniform token axis = "Y"
  double height = 10
  double radiusTop = 1
  double radiusBottom = 2
}
def Cylinder "W" { uniform token axis = "W"; }
)");
  EXPECT_EQ(World("/X"), "(-5, -2, -2) (5, 2, 2)");
  EXPECT_EQ(World("/Y"), "(-2, -7, -2) (2, 7, 2)");
  EXPECT_EQ(World("/Z"), "(-2, -2, -5) (2, 2, 5)");
  EXPECT_EQ(World("/PX"), "(0, -2, -5) (0, 2, 5)");
  EXPECT_EQ(World("/PY"), "(-5, 0, -2) (5, 0, 2)");
  EXPECT_EQ(World("/CX"), "(-7.20998, -2.00998, -2.00998) (5.90499, 2.00998, 2.00998)");
  EXPECT_EQ(World("/CY"), "(-2, -5, -2) (2, 5, 2)");
  EXPECT_EQ(World("/W"), "empty");
}

TEST_F(BBoxRulesTest, ModelHintsArePerPurpose) {
  Write("root.usda", R"(
def Xform "M" (
  kind = "component"
  prepend apiSchemas = ["GeomModelAPI"]
) {
  float3[] extentsHint = [(0, 0, 0), (1, 1, 1), (0, 0, 0), (2, 2, 2), (0, 0, 0), (3, 3, 3), (0, 0, 0), (4, 4, 4)]
  def Cube "B" { double size = 20; }
}
def Xform "NoModel" (prepend apiSchemas = ["GeomModelAPI"]) {
  float3[] extentsHint = [(0, 0, 0), (1, 1, 1)]
  def Cube "B" { double size = 20; }
}
)");
  EXPECT_EQ(WorldByHints("/M", {"default"}), "(0, 0, 0) (1, 1, 1)");
  EXPECT_EQ(WorldByHints("/M", {"render"}), "(0, 0, 0) (2, 2, 2)");
  EXPECT_EQ(WorldByHints("/M", {"proxy"}), "(0, 0, 0) (3, 3, 3)");
  EXPECT_EQ(WorldByHints("/M", {"guide"}), "(0, 0, 0) (4, 4, 4)");
  EXPECT_EQ(World("/M"), "(-10, -10, -10) (10, 10, 10)");
  EXPECT_EQ(WorldByHints("/NoModel", {"default"}), "(-10, -10, -10) (10, 10, 10)");
}

// If a hint is too short for a purpose, the bound for that purpose is empty.
TEST_F(BBoxRulesTest, HintsThatAreTooShortAreEmpty) {
  Write("root.usda", R"(
def Xform "M" (
  kind = "component"
  prepend apiSchemas = ["GeomModelAPI"]
) {
  float3[] extentsHint = [(0, 0, 0), (1, 1, 1), (2, 2, 2)]
  def Cube "B" { uniform token purpose = "render"; double size = 20; }
}
def Xform "One" (
  kind = "component"
  prepend apiSchemas = ["GeomModelAPI"]
) {
  float3[] extentsHint = [(0, 0, 0)]
  def Cube "B" { double size = 20; }
}
def Xform "None" (
  kind = "component"
  prepend apiSchemas = ["GeomModelAPI"]
) {
  float3[] extentsHint = []
  def Cube "B" { double size = 20; }
}
)");
  EXPECT_EQ(WorldByHints("/M", {"render"}), "empty");
  EXPECT_EQ(WorldByHints("/One", {"default"}), "empty");
  EXPECT_EQ(WorldByHints("/None", {"default"}), "empty");
}

// Boxes are accumulated in the space of the nearest component and rotated from there only once.
TEST_F(BBoxRulesTest, BoxesCombineInComponentSpace) {
  constexpr std::string_view kTurned = R"(
    float xformOp:rotateZ = 45
    uniform token[] xformOpOrder = ["xformOp:rotateZ"]
)";
  Write("root.usda",
        Concat("def Xform \"A\" {\n def Xform \"B\" {\n", kTurned, " def Cube \"C\" {\n", kTurned,
               "}\n}\n}\n", "def Xform \"D\" {\n def Xform \"B\" (kind = \"component\") {\n",
               kTurned, " def Cube \"C\" {\n", kTurned, "}\n}\n}\n",
               "def Xform \"E\" {\n def Xform \"B\" (kind = \"subcomponent\") {\n", kTurned,
               " def Cube \"C\" {\n", kTurned, "}\n}\n}\n"));
  EXPECT_EQ(World("/A"), "(-1, -1, -1) (1, 1, 1)");
  EXPECT_EQ(World("/D"), "(-2, -2, -1) (2, 2, 1)");
  EXPECT_EQ(World("/E"), "(-2, -2, -1) (2, 2, 1)");
  EXPECT_EQ(World("/D/B"), "(-2, -2, -1) (2, 2, 1)");
  EXPECT_EQ(World("/D/B/C"), "(-1, -1, -1) (1, 1, 1)");
}

TEST_F(BBoxRulesTest, ResetPrimsLeaveTheirParentsSpace) {
  Write("root.usda", Concat("def Xform \"A\" {\n", kMoved, R"(
  def Cube "B" { uniform token[] xformOpOrder = ["!resetXformStack!"]; }
}
)"));
  EXPECT_EQ(World("/A"), "(-1, -1, -1) (1, 1, 1)");
  EXPECT_EQ(Untransformed("/A"), "(-11, -1, -1) (-9, 1, 1)");
}

TEST_F(BBoxRulesTest, TransformsAndVisibilityAreEvaluatedAtTheTime) {
  Write("root.usda", R"(
def Xform "A" {
  def Cube "B" {
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 10: (10, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    token visibility.timeSamples = { 0: "inherited", 20: "invisible" }
  }
}
)");
  EXPECT_EQ(World("/A", 0), "(-1, -1, -1) (1, 1, 1)");
  EXPECT_EQ(World("/A", 5), "(4, -1, -1) (6, 1, 1)");
  EXPECT_EQ(World("/A", 20), "empty");
}

TEST_F(BBoxRulesTest, InstancesAreAsLargeAsTheirPrototypes) {
  Write("root.usda",
        Concat("class Xform \"P\" {\n def Cube \"B\" {\n", kMoved,
               "}\n def Cube \"R\" { uniform token purpose = \"render\"; double size = "
               "8; }\n}\n",
               "def Xform \"W\" {\n def \"I\" (\n instanceable = true\n inherits = </P>\n) {\n",
               kMoved, "}\n}\n"));
  EXPECT_EQ(World("/W"), "(19, -1, -1) (21, 1, 1)");
  EXPECT_EQ(World("/W/I"), "(19, -1, -1) (21, 1, 1)");
  EXPECT_EQ(World("/W/I/B"), "(19, -1, -1) (21, 1, 1)");
  EXPECT_EQ(WorldOfPurposes("/W", {"render"}), "(6, -4, -4) (14, 4, 4)");
}

TEST_F(BBoxRulesTest, PrimsWithoutGeometryAreEmpty) {
  Write("root.usda", "def Xform \"A\" {}\ndef Scope \"S\" {}\n");
  EXPECT_EQ(World("/A"), "empty");
}

}  // namespace
}  // namespace stagedoor
