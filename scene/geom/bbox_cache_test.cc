#include "scene/geom/bbox_cache.h"

#include <string>
#include <vector>

#include "base/strings.h"
#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

class BBoxCacheTest : public testing::Test {
 protected:
  std::shared_ptr<const Stage> Open(const std::string& text) {
    scene_.Write("a.usda", text);
    return scene_.Open("a.usda");
  }
  Range3d World(const Stage& stage, std::string_view path, double time,
                const std::vector<std::string>& purposes, bool hints = false) {
    BBoxCacheOptions options;
    for (const std::string& purpose : purposes) options.purposes.push_back(Token(purpose));
    options.use_extents_hint = hints;
    BBoxCache cache(TimeCode::At(time), std::move(options));
    return cache.WorldBound(scene_.context(), stage.FindPrim(P(path))).AlignedRange();
  }
  void Expect(const Range3d& range, const Vec3d& min, const Vec3d& max, const std::string& what) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(range.min[i], min[i], 2e-6) << what << " min[" << i << "]";
      EXPECT_NEAR(range.max[i], max[i], 2e-6) << what << " max[" << i << "]";
    }
  }
  TestScene scene_;
};

// Expected values in this file come from usd-core 26.11.
TEST_F(BBoxCacheTest, ExtentsAreComputedByType) {
  const struct {
    const char* type;
    const char* fields;
    Vec3d min, max;
  } cases[] = {
      {"Sphere", "double radius = 7", {-7, -7, -7}, {7, 7, 7}},
      {"Sphere", "double radius.timeSamples = { 1: 7 }", {-7, -7, -7}, {7, 7, 7}},
      {"Sphere", "", {-1, -1, -1}, {1, 1, 1}},
      {"Cube", "double size = 7", {-3.5, -3.5, -3.5}, {3.5, 3.5, 3.5}},
      {"Cone", "double radius = 7", {-7, -7, -1}, {7, 7, 1}},
      {"Cone", "double height = 7", {-1, -1, -3.5}, {1, 1, 3.5}},
      {"Cylinder", "double radius = 7", {-7, -7, -1}, {7, 7, 1}},
      {"Capsule", "double radius = 7", {-7, -7, -7.5}, {7, 7, 7.5}},
      {"Capsule_1", "double height = 7", {-.5, -.5, -4}, {.5, .5, 4}},
      {"Capsule_1", "double height = 0\ndouble radiusBottom = 2", {-2, -2, -2}, {2, 2, .5}},
      {"Cylinder_1", "double radiusTop = 7", {-7, -7, -1}, {7, 7, 1}},
      {"Plane", "double width = 7", {-3.5, -1, 0}, {3.5, 1, 0}},
      // TimeCode samples of a plane's size are ignored.
      {"Plane", "double width.timeSamples = { 1: 7 }", {-1, -1, 0}, {1, 1, 0}},
      {"SphereLight", "float inputs:radius = 7", {-7, -7, -7}, {7, 7, 7}},
      {"RectLight", "float inputs:width = 7", {-3.5, -.5, 0}, {3.5, .5, 0}},
      {"DiskLight", "float inputs:radius = 7", {-7, -7, 0}, {7, 7, 0}},
      {"CylinderLight", "float inputs:length = 7", {-3.5, -.5, -.5}, {3.5, .5, .5}},
      {"Mesh", "point3f[] points = [(0, 1, 2), (3, -4, 5)]", {0, -4, 2}, {3, 1, 5}},
      {"Points",
       "point3f[] points = [(0, 0, 0), (4, 0, 0)]\nfloat[] widths = [2, 4]",
       {-1, -2, -2},
       {6, 2, 2}},
      {"BasisCurves",
       "point3f[] points = [(0, 0, 0), (4, 0, 0)]\nfloat[] widths = [2, 4]",
       {-2, -2, -2},
       {6, 2, 2}},
      {"Mesh",
       "point3f[] points = [(0, 1, 2)]\nfloat3[] extent = [(-1, -1, -1), (2, 2, 2)]",
       {-1, -1, -1},
       {2, 2, 2}},
      // An extent of invalid size is ignored.
      {"Mesh",
       "point3f[] points = [(0, 1, 2)]\nfloat3[] extent = [(-1, -1, -1)]",
       {0, 1, 2},
       {0, 1, 2}},
  };
  for (const auto& c : cases) {
    const std::string what = std::string(c.type) + " " + c.fields;
    const auto stage = Open("def " + std::string(c.type) + " \"A\" {\n" + c.fields + "\n}\n");
    Expect(World(*stage, "/A", 1, {"default"}), c.min, c.max, what);
  }
}

constexpr const char* kTree = R"(
def Xform "A" {
  double3 xformOp:translate = (10, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  token visibility.timeSamples = { 1: "inherited", 2: "invisible" }
  uniform token purpose = "render"
  def Scope "S" {
    def Xform "B" {
      float xformOp:rotateZ.timeSamples = { 0: 0, 10: 90 }
      double3 xformOp:translate = (1, 0, 0)
      uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:translate"]
      def Sphere "R" {
        uniform token purpose = "default"
        float3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:scale"]
      }
      def Cube "G" {
        uniform token purpose = "guide"
      }
      def Cube "Hidden" {
        token visibility = "invisible"
        double size = 100
      }
    }
  }
}
)";

TEST_F(BBoxCacheTest, OnlyVisiblePrimsOfThePurposesAreIncluded) {
  const auto stage = Open(kTree);
  Expect(World(*stage, "/A", 1, {"default"}), {-2, -2, -2}, {2, 2, 2}, "default");
  EXPECT_TRUE(World(*stage, "/A", 1, {"render"}).empty());
  Expect(World(*stage, "/A", 1, {"guide"}), {9.843565535, -0.987688341, -1},
         {12.131811146, 1.300557271, 1}, "guide");
  // The visibility of the queried prim itself is ignored.
  Expect(World(*stage, "/A", 2, {"default", "render", "guide"}), {-2, -2, -2}, {12.211130027, 2, 2},
         "all");
}

TEST_F(BBoxCacheTest, ParallelResultsEqualSerialOnes) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    text += "def Xform \"G" + n + "\" {\nfloat xformOp:rotateZ = " + n +
            "\nuniform token[] xformOpOrder = [\"xformOp:rotateZ\"]\n";
    for (const char* name : {"A", "B"}) {
      text += "def Sphere \"" + std::string(name) + "\" {\ndouble radius = " + n + "\n}\n";
    }
    text += "}\n";
  }
  const auto stage = Open("def Xform \"All\" {\n" + text + "}\n");
  ThreadPoolExecutor pool(2);
  BBoxCacheOptions options{.purposes = {Token("default")}};
  BBoxCache plain(TimeCode::At(1), options);
  options.executor = &pool;
  BBoxCache parallel(TimeCode::At(1), options);
  for (const char* path : {"/All", "/All/G7", "/All/G59/A"}) {
    const Prim prim = stage->FindPrim(path);
    EXPECT_EQ(plain.WorldBound(scene_.context(), prim),
              parallel.WorldBound(scene_.context(), prim));
  }
}

TEST_F(BBoxCacheTest, EachPrimIsAStepOfTheRequest) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += Concat("def Xform \"X", i, "\" {}\n");
  const auto stage = Open(Concat("def Xform \"All\" {\n", text, "}\n"));
  RequestContext context;
  BBoxCache cache(TimeCode::At(1), {.purposes = {Token("default")}});
  EXPECT_TRUE(cache.WorldBound(context, stage->FindPrim(P("/All"))).AlignedRange().empty());
  EXPECT_GT(context.steps(), 200u);
}

TEST_F(BBoxCacheTest, ModelHintsArePerPurpose) {
  const auto stage = Open(R"(
def Xform "M" (
  kind = "component"
  prepend apiSchemas = ["GeomModelAPI"]
) {
  float3[] extentsHint = [(-1, -2, -3), (1, 2, 3), (-4, -4, -4), (4, 4, 4)]
  def Cube "C" {
    double size = 10
  }
}
)");
  Expect(World(*stage, "/M", 1, {"default"}), {-5, -5, -5}, {5, 5, 5}, "no hint");
  Expect(World(*stage, "/M", 1, {"default"}, true), {-1, -2, -3}, {1, 2, 3}, "hint");
  Expect(World(*stage, "/M", 1, {"render"}, true), {-4, -4, -4}, {4, 4, 4}, "render hint");
}

constexpr const char* kInstancer = R"(
def PointInstancer "I" {
  int[] protoIndices = [0, 1]
  point3f[] positions = [(0, 0, 0), (5, 0, 0)]
  int64[] invisibleIds.timeSamples = { 0: [], 1: [1] }
  rel prototypes = [</I/S>, </I/C>]
  def Sphere "S" {
  }
  def Cube "C" {
  }
}
)";

TEST_F(BBoxCacheTest, InstancersAreAsLargeAsTheirVisibleInstances) {
  const auto stage = Open(kInstancer);
  Expect(World(*stage, "/I", 0, {"default"}), {-1, -1, -1}, {6, 1, 1}, "both");
  Expect(World(*stage, "/I", 1, {"default"}), {-1, -1, -1}, {1, 1, 1}, "one");
}

TEST_F(BBoxCacheTest, PrototypesInAnInstanceIgnoreItsTransform) {
  const auto stage = Open(R"(
class Xform "_Lib" {
  def PointInstancer "I" {
    int[] protoIndices = [0, 1]
    point3f[] positions = [(0, 0, 0), (5, 0, 0)]
    rel prototypes = [</_Lib/I/A>, </_Lib/I/B>]
    def "A" {
      def Cube "c" {
      }
    }
    def Xform "B" {
      def Cube "c" {
        double xformOp:translateY = 3
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translateY"]
      }
    }
  }
}
def Xform "One" (
  references = </_Lib>
  instanceable = true
) {
  double xformOp:rotateZ = 30
  double3 xformOp:scale = (1, 2, 1)
  uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:scale"]
})");
  Expect(World(*stage, "/One", 0, {"default"}), {-4.866025403784438, -2.232050807568877, -1},
         {6.196152422706632, 9.928203230275509, 1}, "the instance");
  Expect(World(*stage, "/One/I", 0, {"default"}), {-4.348076256581993, -3.8480762935722987, -1},
         {8.245190588571763, 7.366025371970254, 1}, "queried by its path");
}

TEST_F(BBoxCacheTest, ExtentsAreRoundedToFloat) {
  const auto stage = Open("def Sphere \"S\" {\n  double radius = 2.1487\n}\n");
  const Range3d range = World(*stage, "/S", 1, {"default"});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(range.min[i], -2.148699998855591);
    EXPECT_EQ(range.max[i], 2.148699998855591);
  }
}

TEST_F(BBoxCacheTest, InstancesOfASinglePointAreNotEmpty) {
  const auto stage = Open(R"(def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions = [(0.9311, -2.8813, 4.7331)]
  quatf[] orientationsf = [(0.6639, 0.2073, 0.7185, -0.0024)]
  float3[] scales = [(0.9801, 0.6794, 0.675)]
  rel prototypes = </I/P>
  def Points "P" {
    point3f[] points = [(0.742, 2.2209, 1.5379)]
  }
})");
  const Range3d range = World(*stage, "/I", 1, {"default"});
  EXPECT_FALSE(range.empty());
  const Vec3d point = {2.3510794639587402, -1.577117919921875, 4.325755596160889};
  Expect(range, point, point, "one point");
}

TEST_F(BBoxCacheTest, BoundablePrimsStandForTheirDescendants) {
  const std::string child = "def Cube \"C\" {\n}\n}\n";
  for (const std::string parent : {"Mesh", "Points", "Volume", "PointInstancer"}) {
    const auto stage = Open("def " + parent + " \"A\" {\n" + child);
    EXPECT_TRUE(World(*stage, "/A", 1, {"default"}).empty()) << parent;
  }
  for (const std::string parent : {"Xform", "Scope", "Camera", "DomeLight", "Unknown", ""}) {
    const auto stage = Open("def " + parent + " \"A\" {\n" + child);
    Expect(World(*stage, "/A", 1, {"default"}), {-1, -1, -1}, {1, 1, 1}, parent);
  }
}

TEST_F(BBoxCacheTest, ComponentsAboveAreTakenAtDefaultTime) {
  const auto stage = Open(R"(def Xform "C" (
  kind = "component"
) {
  float xformOp:rotateZ = 0
  float xformOp:rotateZ.timeSamples = { 0: 0, 4: 90 }
  uniform token[] xformOpOrder = ["xformOp:rotateZ"]
  def Xform "G" {
    def Cube "B" {
    }
  }
})");
  const Prim group = stage->FindPrim(P("/C/G"));
  const auto bound = [&](BBoxCache& cache) {
    return cache.UntransformedBound(scene_.context(), group).AlignedRange();
  };
  BBoxCache alone(TimeCode::At(2), {.purposes = {Token("default")}});
  Expect(bound(alone), {-2, -2, -1}, {2, 2, 1}, "queried by itself");
  BBoxCache with_component(TimeCode::At(2), {.purposes = {Token("default")}});
  with_component.WorldBound(scene_.context(), stage->FindPrim(P("/C")));
  Expect(bound(with_component), {-1, -1, -1}, {1, 1, 1}, "after its component");
}

TEST_F(BBoxCacheTest, UnusedPrototypesAreExcluded) {
  const auto stage = Open(R"(
def PointInstancer "I" {
  rel prototypes = [</I/S>]
  def Sphere "S" {
  }
}
)");
  EXPECT_TRUE(World(*stage, "/I", 1, {"default"}).empty());
  EXPECT_FALSE(World(*stage, "/I/S", 1, {"default"}).empty());
}

}  // namespace
}  // namespace stagedoor
