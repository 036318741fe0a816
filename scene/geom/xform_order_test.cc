// Which operations of xformOpOrder apply to a prim. Expected results come from OpenUSD.
#include <cmath>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/geom/xform_cache.h"
#include "scene/geom/xform_query.h"
#include "scene/testing/answers_fixture.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

class XformOrderTest : public AnswersTest {
 protected:
  // The point (1, 2, 3) in world space, to six decimal places.
  std::string Where(std::string_view path, double time) { return World(path, TimeCode::At(time)); }
  std::string WhereByDefault(std::string_view path) { return World(path, TimeCode::Default()); }
  bool Resets(std::string_view path) {
    bool resets = false;
    XformCache(TimeCode::At(0)).Local(scene_.context(), stage().FindPrim(path), &resets);
    return resets;
  }
  std::string TransformSamples(std::string_view path) {
    const auto query = XformQuery::Compile(scene_.context(), stage().FindPrim(path));
    return Join(query.SampleTimes(scene_.context()).span(), " ");
  }
  bool TransformVaries(std::string_view path) {
    const auto query = XformQuery::Compile(scene_.context(), stage().FindPrim(path));
    return query.MightBeTimeVarying(scene_.context());
  }
  // Writes an Xform A with translation (10, 20, 30), scale 2 and this xformOpOrder.
  void Order(std::string_view order) {
    Write("root.usda", Concat(R"(
def Xform "A" {
  double3 xformOp:translate = (10, 20, 30)
  double3 xformOp:translate:pivot = (1, 1, 1)
  float3 xformOp:scale = (2, 2, 2)
  uniform token[] xformOpOrder = [)",
                              order, "]\n}\n"));
  }

 private:
  std::string World(std::string_view path, TimeCode time) {
    XformCache cache(time);
    const Vec3d at =
        Transform({1, 2, 3}, cache.LocalToWorld(scene_.context(), stage().FindPrim(path)));
    const auto round = [](double x) { return std::round(x * 1e6) / 1e6 + 0.0; };
    return Concat("(", round(at[0]), ", ", round(at[1]), ", ", round(at[2]), ")");
  }
};

TEST_F(XformOrderTest, TheLastOperationIsAppliedFirst) {
  Order(R"("xformOp:translate", "xformOp:scale")");
  EXPECT_EQ(Where("/A", 0), "(12, 24, 36)");
  Order(R"("xformOp:scale", "xformOp:translate")");
  EXPECT_EQ(Where("/A", 0), "(22, 44, 66)");
}

TEST_F(XformOrderTest, OperationsNotInTheOrderAreIgnored) {
  Order(R"("xformOp:scale")");
  EXPECT_EQ(Where("/A", 0), "(2, 4, 6)");
  Order("");
  EXPECT_EQ(Where("/A", 0), "(1, 2, 3)");
}

TEST_F(XformOrderTest, APivotIsUndoneByItsInverse) {
  Order(R"("xformOp:translate:pivot", "xformOp:scale", "!invert!xformOp:translate:pivot")");
  EXPECT_EQ(Where("/A", 0), "(1, 3, 5)");
}

TEST_F(XformOrderTest, AnOperationMayBeNamedTwice) {
  Order(R"("xformOp:scale", "xformOp:scale")");
  EXPECT_EQ(Where("/A", 0), "(4, 8, 12)");
}

TEST_F(XformOrderTest, NamesWithoutAnAttributeAreSkipped) {
  Order(R"("xformOp:translate", "xformOp:rotateX", "xformOp:scale")");
  EXPECT_EQ(Where("/A", 0), "(12, 24, 36)");
}

TEST_F(XformOrderTest, ResetDropsPrecedingOperations) {
  Order(R"("xformOp:translate", "!resetXformStack!", "xformOp:scale")");
  EXPECT_EQ(Where("/A", 0), "(2, 4, 6)");
  EXPECT_TRUE(Resets("/A"));
  Order(R"("xformOp:translate", "xformOp:scale")");
  EXPECT_FALSE(Resets("/A"));
}

TEST_F(XformOrderTest, ResetIgnoresAncestors) {
  Write("root.usda", R"(
def Xform "A" {
  double3 xformOp:translate = (10, 20, 30)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Xform "B" {
    double3 xformOp:translate = (1, 1, 1)
    uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
    def Xform "C" {
      double3 xformOp:translate = (1, 1, 1)
      uniform token[] xformOpOrder = ["xformOp:translate"]
    }
  }
  def Xform "OnlyReset" {
    uniform token[] xformOpOrder = ["!resetXformStack!"]
  }
}
)");
  EXPECT_EQ(Where("/A/B", 0), "(2, 3, 4)");
  EXPECT_EQ(Where("/A/B/C", 0), "(3, 4, 5)");
  EXPECT_EQ(Where("/A/OnlyReset", 0), "(1, 2, 3)");
}

TEST_F(XformOrderTest, OnlyXformablePrimsHaveATransform) {
  Write("root.usda", R"(
def Xform "A" {
  double3 xformOp:translate = (10, 20, 30)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Scope "S" {
    double3 xformOp:translate = (1, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Sphere "C" {
      double3 xformOp:translate = (1, 1, 1)
      uniform token[] xformOpOrder = ["xformOp:translate"]
    }
  }
  def "T" {
    double3 xformOp:translate = (1, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
}
)");
  EXPECT_EQ(Where("/A/S", 0), "(11, 22, 33)");
  EXPECT_EQ(Where("/A/S/C", 0), "(12, 23, 34)");
  EXPECT_EQ(Where("/A/T", 0), "(11, 22, 33)");
}

TEST_F(XformOrderTest, OperationsWithoutAValueAreSkipped) {
  Write("root.usda", R"(
def Xform "A" {
  double3 xformOp:translate = None
  float3 xformOp:scale
  float xformOp:rotateX = 90
  uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale", "xformOp:rotateX"]
}
)");
  EXPECT_EQ(Where("/A", 0), "(1, -3, 2)");
}

TEST_F(XformOrderTest, SamplesAreIgnoredAtDefaultTime) {
  Write("root.usda", R"(
def Xform "A" {
  double3 xformOp:translate = (10, 20, 30)
  double3 xformOp:translate.timeSamples = { 0: (100, 0, 0), 10: (200, 0, 0) }
  float xformOp:rotateX.timeSamples = { 4: 90 }
  uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateX"]
}
)");
  EXPECT_EQ(WhereByDefault("/A"), "(11, 22, 33)");
  EXPECT_EQ(Where("/A", 5), "(151, -3, 2)");
  EXPECT_EQ(TransformSamples("/A"), "0 4 10");
  EXPECT_TRUE(TransformVaries("/A"));
}

TEST_F(XformOrderTest, OneSampleDoesNotVary) {
  Write("root.usda", R"(
def Xform "A" {
  float xformOp:rotateX.timeSamples = { 4: 90 }
  uniform token[] xformOpOrder = ["xformOp:rotateX"]
}
)");
  EXPECT_FALSE(TransformVaries("/A"));
  EXPECT_EQ(TransformSamples("/A"), "4");
}

TEST_F(XformOrderTest, OrientationsNeedNotBeOfUnitLength) {
  Write("root.usda", R"(
def Xform "Orient" {
  quatf xformOp:orient = (0, 0, 0, 0)
  uniform token[] xformOpOrder = ["!invert!xformOp:orient"]
}
def Xform "Long" {
  quatd xformOp:orient = (2, 0, 0, 2)
  uniform token[] xformOpOrder = ["xformOp:orient"]
}
def Xform "Half" {
  quath xformOp:orient = (0.5, 0, 0, 2)
  uniform token[] xformOpOrder = ["xformOp:orient"]
}
)");
  EXPECT_EQ(Where("/Orient", 0), "(1, 2, 3)");
  EXPECT_EQ(Where("/Long", 0), "(1, 2, 3)");
  EXPECT_EQ(Where("/Half", 0), "(-2.232051, -0.133975, 3)");
}

TEST_F(XformOrderTest, MatricesCombineWithOtherOperations) {
  Write("root.usda", R"(
def Xform "A" {
  double3 xformOp:translate = (10, 0, 0)
  matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (5, 0, 0, 1))
  uniform token[] xformOpOrder = ["xformOp:transform", "xformOp:translate"]
}
def Xform "B" {
  double3 xformOp:translate = (10, 0, 0)
  matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (5, 0, 0, 1))
  uniform token[] xformOpOrder = ["!invert!xformOp:transform", "xformOp:translate"]
}
def Xform "C" {
  double3 xformOp:translate = (10, 0, 0)
  quatf xformOp:orient = (0.70710678, 0, 0, 0.70710678)
  uniform token[] xformOpOrder = ["xformOp:orient", "xformOp:translate"]
}
)");
  EXPECT_EQ(Where("/A", 0), "(3, 11, 3)");
  EXPECT_EQ(Where("/B", 0), "(2, -6, 3)");
  EXPECT_EQ(Where("/C", 0), "(-2, 11, 3)");
}

}  // namespace
}  // namespace stagedoor
