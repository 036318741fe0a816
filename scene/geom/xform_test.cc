#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/heap_costs.h"
#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"
#include "scene/geom/xform_batch.h"
#include "scene/geom/xform_cache.h"
#include "scene/geom/xform_query.h"
#include "scene/testing/test_scene.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

void ExpectNear(const Vec3d& actual, const Vec3d& expected, const std::string& what) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], 2e-6) << what << " [" << i << "]";
}

class XformTest : public testing::Test {
 protected:
  // Transforms a point to world space with a new cache.
  Vec3d World(const Stage& stage, std::string_view path, TimeCode time, const Vec3d& point) {
    XformCache cache(time);
    return Transform(point, cache.LocalToWorld(scene_.context(), stage.FindPrim(P(path))));
  }
  TestScene scene_;
};

// Expected: the point (1, 2, 3) transformed by usd-core 26.11.
TEST_F(XformTest, EveryOperationAndItsInverse) {
  const struct {
    const char* declaration;
    const char* value;
    bool inverse;
    Vec3d expected;
  } cases[] = {
      {"double3 xformOp:translate", "(1, 2, 3)", false, {2, 4, 6}},
      {"double3 xformOp:translate", "(1, 2, 3)", true, {0, 0, 0}},
      {"float xformOp:translateX", "4", false, {5, 2, 3}},
      {"float xformOp:translateX", "4", true, {-3, 2, 3}},
      {"float xformOp:translateY", "4", false, {1, 6, 3}},
      {"float xformOp:translateY", "4", true, {1, -2, 3}},
      {"float xformOp:translateZ", "4", false, {1, 2, 7}},
      {"float xformOp:translateZ", "4", true, {1, 2, -1}},
      {"half3 xformOp:scale", "(1, 2, 4)", false, {1, 4, 12}},
      {"half3 xformOp:scale", "(1, 2, 4)", true, {1, 1, 0.75}},
      {"float xformOp:scaleX", "4", false, {4, 2, 3}},
      {"float xformOp:scaleX", "4", true, {-4, 2, 3}},
      {"float xformOp:scaleY", "4", false, {1, 8, 3}},
      {"float xformOp:scaleY", "4", true, {1, -8, 3}},
      {"double xformOp:scaleZ", "3", false, {1, 2, 9}},
      {"double xformOp:scaleZ", "3", true, {1, 2, -9}},
      {"float xformOp:rotateX", "30", false, {1, 0.2320508, 3.598076}},
      {"float xformOp:rotateX", "30", true, {1, 3.232051, 1.598076}},
      {"half xformOp:rotateY", "30", false, {2.366025, 2, 2.098076}},
      {"half xformOp:rotateY", "30", true, {-0.6339746, 2, 3.098076}},
      {"double xformOp:rotateZ", "30", false, {-0.1339746, 2.232051, 3}},
      {"double xformOp:rotateZ", "30", true, {1.866025, 1.232051, 3}},
      {"float3 xformOp:rotateXYZ", "(10, 20, 30)", false, {1.067425, 2.289059, 2.760581}},
      {"float3 xformOp:rotateXYZ", "(10, 20, 30)", true, {0.7274299, 1.813686, 3.190829}},
      {"float3 xformOp:rotateXZY", "(10, 20, 30)", false, {1.2624, 1.754586, 3.054141}},
      {"float3 xformOp:rotateXZY", "(10, 20, 30)", true, {0.9252033, 2.297184, 2.804808}},
      {"float3 xformOp:rotateYXZ", "(10, 20, 30)", false, {0.9326526, 2.316104, 2.786722}},
      {"float3 xformOp:rotateYXZ", "(10, 20, 30)", true, {0.816191, 1.734278, 3.213427}},
      {"float3 xformOp:rotateYZX", "(10, 20, 30)", false, {0.7023921, 2.243545, 2.910868}},
      {"float3 xformOp:rotateYZX", "(10, 20, 30)", true, {1.092288, 1.656888, 3.172007}},
      {"double3 xformOp:rotateZXY", "(10, 20, 30)", false, {1.017141, 1.677196, 3.186289}},
      {"double3 xformOp:rotateZXY", "(10, 20, 30)", true, {1.18447, 2.224299, 2.765777}},
      {"float3 xformOp:rotateZYX", "(10, 20, 30)", false, {0.9001655, 1.700656, 3.208967}},
      {"float3 xformOp:rotateZYX", "(10, 20, 30)", true, {1.286852, 2.132887, 2.791918}},
      {"quatf xformOp:orient", "(0.5, 0.5, 0.5, 0.5)", false, {3, 1, 2}},
      {"quatf xformOp:orient", "(0.5, 0.5, 0.5, 0.5)", true, {2, 3, 1}},
      {"matrix4d xformOp:transform",
       "( (1, 2, 0, 0), (0, 1, 0, 0), (0, 0, 2, 0), (3, 0, 0, 1) )",
       false,
       {4, 4, 6}},
      {"matrix4d xformOp:transform",
       "( (1, 2, 0, 0), (0, 1, 0, 0), (0, 0, 2, 0), (3, 0, 0, 1) )",
       true,
       {-2, 6, 1.5}},
  };
  for (const auto& c : cases) {
    const std::string declaration = c.declaration;
    const std::string name = declaration.substr(declaration.find(' ') + 1);
    for (const bool animated : {false, true}) {
      const std::string value =
          animated ? ".timeSamples = { 0: " + std::string(c.value) + ", 9: " + c.value + " }"
                   : " = " + std::string(c.value);
      scene_.Write("a.usda", "def Xform \"A\" {\n" + declaration + value +
                                 "\nuniform token[] xformOpOrder = [\"" +
                                 (c.inverse ? "!invert!" : "") + name + "\"]\n}\n");
      const auto stage = scene_.Open("a.usda");
      ExpectNear(World(*stage, "/A", TimeCode::At(1), {1, 2, 3}), c.expected,
                 declaration + (c.inverse ? " inverted" : "") + (animated ? " animated" : ""));
    }
  }
}

constexpr const char* kTree = R"(
def Xform "A" {
  double3 xformOp:translate = (10, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Scope "S" {
    def Xform "B" {
      float xformOp:rotateZ.timeSamples = { 0: 0, 10: 90 }
      double3 xformOp:translate = (1, 0, 0)
      uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:translate"]
      def Sphere "R" {
        float3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:scale"]
      }
      def Cube "G" {
      }
    }
  }
}
)";

TEST_F(XformTest, AncestorsApplyUpToAReset) {
  scene_.Write("a.usda", kTree);
  const auto stage = scene_.Open("a.usda");
  const Vec3d x{1, 0, 0};
  ExpectNear(World(*stage, "/A/S/B/G", TimeCode::At(0), x), {12, 0, 0}, "at 0");
  ExpectNear(World(*stage, "/A/S/B/G", TimeCode::At(5), x), {11.414214, 1.414214, 0}, "at 5");
  ExpectNear(World(*stage, "/A/S/B/G", TimeCode::At(10), x), {10, 2, 0}, "at 10");
  ExpectNear(World(*stage, "/A/S/B/R", TimeCode::At(5), x), {2, 0, 0}, "reset");
  // TimeCode samples are ignored at default time.
  ExpectNear(World(*stage, "/A/S/B/G", TimeCode::Default(), x), {12, 0, 0}, "at default");
}

TEST_F(XformTest, OneCacheAnswersInAnyOrder) {
  scene_.Write("a.usda", kTree);
  const auto stage = scene_.Open("a.usda");
  XformCache cache(TimeCode::At(5));
  RequestContext& context = scene_.context();
  const Matrix4d deep = cache.LocalToWorld(context, stage->FindPrim("/A/S/B/G"));
  const Matrix4d parent = cache.LocalToWorld(context, stage->FindPrim("/A/S/B"));
  EXPECT_EQ(deep, parent);
  EXPECT_EQ(cache.ParentToWorld(context, stage->FindPrim("/A/S/B/R")), parent);
  bool resets = false;
  EXPECT_EQ(cache.Local(context, stage->FindPrim("/A/S/B/R"), &resets), ScaleMatrix({2, 2, 2}));
  EXPECT_TRUE(resets);
  EXPECT_EQ(cache.LocalToWorld(context, stage->PseudoRoot()), Matrix4d::Identity());
}

// A batch gives the same results as a cache, whether in parallel or not.
TEST_F(XformTest, BatchesEqualCaches) {
  std::string text = kTree;
  for (int i = 0; i < 400; ++i) {
    const std::string n = std::to_string(i);
    text += "def Xform \"P" + n + "\" {\n  float xformOp:rotateX.timeSamples = { 0: 0, 9: " + n +
            " }\n  uniform token[] xformOpOrder = [\"xformOp:rotateX\"]\n}\n";
  }
  scene_.Write("a.usda", text);
  const auto stage = scene_.Open("a.usda");
  std::vector<Prim> prims = {Prim(), stage->PseudoRoot()};
  for (const Prim& prim : stage->Traverse(PrimFlagsPredicate::All())) prims.push_back(prim);
  std::vector<TimeCode> times = {TimeCode::Default()};
  for (int t = 0; t < 20; ++t) times.push_back(TimeCode::At(t / 2.0));
  ThreadPoolExecutor pool(2);
  for (Executor* executor : {static_cast<Executor*>(nullptr), static_cast<Executor*>(&pool)}) {
    const auto batch = ComputeXforms(scene_.context(), prims, times, true, executor);
    ASSERT_TRUE(batch.ok());
    for (size_t t = 0; t < times.size(); ++t) {
      XformCache cache(times[t]);
      for (size_t p = 1; p < prims.size(); ++p) {
        bool resets = false;
        const size_t item = p * times.size() + t;
        ASSERT_EQ(batch->local[item], cache.Local(scene_.context(), prims[p], &resets));
        ASSERT_EQ(batch->world[item], cache.LocalToWorld(scene_.context(), prims[p]));
        ASSERT_EQ(batch->resets[p], resets);
      }
    }
  }
}

TEST_F(XformTest, BlocksHaveTheTransformsOfBatches) {
  std::string text = kTree;
  for (int i = 0; i < 50; ++i) text += "def Xform \"P" + std::to_string(i) + "\" {}\n";
  scene_.Write("a.usda", text);
  const auto stage = scene_.Open("a.usda");
  std::vector<Prim> prims = {Prim()};
  for (const Prim& prim : stage->Traverse(PrimFlagsPredicate::All())) prims.push_back(prim);
  std::vector<TimeCode> times = {TimeCode::Default(), TimeCode::At(1), TimeCode::At(2.5)};
  const auto batch = ComputeXforms(scene_.context(), prims, times);
  ASSERT_TRUE(batch.ok());
  ThreadPoolExecutor pool(2);
  for (Executor* executor : {static_cast<Executor*>(nullptr), static_cast<Executor*>(&pool)}) {
    std::vector<Matrix4d> found(prims.size() * times.size(), Matrix4d::Identity());
    const auto take = [&](size_t first, std::span<const Matrix4d> world) {
      EXPECT_EQ(first % 8, 0u);
      EXPECT_EQ(world.size(), std::min<size_t>(8, prims.size() - first) * times.size());
      std::ranges::copy(world, found.begin() + static_cast<ptrdiff_t>(first * times.size()));
    };
    const auto resets = ComputeXformBlocks(scene_.context(), prims, times, 8, take, executor);
    ASSERT_TRUE(resets.ok());
    EXPECT_EQ(*resets, batch->resets);
    for (size_t t = 0; t < times.size(); ++t) EXPECT_EQ(found[t], Matrix4d()) << "invalid prim";
    for (size_t item = times.size(); item < found.size(); ++item) {
      ASSERT_EQ(found[item], batch->world[item]) << item;
    }
  }
  times.resize(kMaxXformBlockTimes + 1);
  const auto ignore = [](size_t, std::span<const Matrix4d>) {};
  EXPECT_FALSE(ComputeXformBlocks(scene_.context(), prims, times, 8, ignore).ok());
}

TEST_F(XformTest, ConstantTransformsAreFixed) {
  scene_.Write("a.usda", kTree);
  const auto stage = scene_.Open("a.usda");
  RequestContext& context = scene_.context();
  const auto a = XformQuery::Compile(context, stage->FindPrim("/A"));
  ASSERT_NE(a.fixed(), nullptr);
  EXPECT_EQ(*a.fixed(), TranslationMatrix({10, 0, 0}));
  EXPECT_FALSE(a.MightBeTimeVarying(context));
  const auto b = XformQuery::Compile(context, stage->FindPrim("/A/S/B"));
  EXPECT_EQ(b.fixed(), nullptr);
  EXPECT_TRUE(b.MightBeTimeVarying(context));
  EXPECT_EQ(b.SampleTimes(context), (Array<double>{0, 10}));
}

TEST_F(XformTest, TheSnapshotKeepsQueries) {
  scene_.Write("a.usda", kTree);
  const auto stage = scene_.Open("a.usda");
  const Prim b = stage->FindPrim("/A/S/B");
  std::optional<XformQuery> own;
  const XformQuery* first = &XformTable::Of(*stage).Find(scene_.context(), b, &own);
  EXPECT_EQ(first, &XformTable::Of(*stage).Find(scene_.context(), b, &own));
  EXPECT_FALSE(own.has_value());
}

TEST_F(XformTest, TheTableHasALimit) {
  scene_.Write("a.usda", kTree);
  const auto stage = scene_.Open("a.usda");
  RequestContext& context = scene_.context();
  const Prim a = stage->FindPrim("/A");
  const Prim b = stage->FindPrim("/A/S/B");
  MemoryPool pool("test");
  Reservation memory(&pool);
  const size_t bytes = XformQuery::Compile(context, a).byte_size() + kHeapBlockBytes;
  XformTable table(stage->prim_count() + 1, &memory, bytes);
  std::optional<XformQuery> own;
  table.Find(context, a, &own);
  EXPECT_FALSE(own.has_value());
  table.Find(context, b, &own);
  EXPECT_TRUE(own.has_value());
}

TEST_F(XformTest, CancelledRequestsDoNotFillTheTable) {
  scene_.Write("a.usda", kTree);
  const auto stage = scene_.Open("a.usda");
  const Prim b = stage->FindPrim("/A/S/B");
  RequestContext cancelled;
  cancelled.Cancel();
  std::optional<XformQuery> own;
  XformTable::Of(*stage).Find(cancelled, b, &own);
  EXPECT_TRUE(own.has_value());
}

TEST_F(XformTest, InstancesTransformSharedPrims) {
  scene_.Write("a.usda", R"(
class Xform "C" {
  def Xform "In" {
    double3 xformOp:translate = (0, 1, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
}
def Xform "I" (
  instanceable = true
  references = </C>
) {
  double3 xformOp:translate = (1, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Xform "J" (
  instanceable = true
  references = </C>
) {
  double3 xformOp:translate = (2, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
}
)");
  const auto stage = scene_.Open("a.usda");
  XformCache cache(TimeCode::At(1));
  RequestContext& context = scene_.context();
  EXPECT_EQ(cache.LocalToWorld(context, stage->FindPrim("/I/In")), TranslationMatrix({1, 1, 0}));
  EXPECT_EQ(cache.LocalToWorld(context, stage->FindPrim("/J/In")), TranslationMatrix({2, 1, 0}));
}

TEST_F(XformTest, BatchesContainTheTransformsOfTheirPrims) {
  scene_.Write("a.usda", R"(
def Xform "A" {
  double xformOp:translateX.timeSamples = { 0: 0, 40: 40 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Xform "B" {
    double xformOp:translateY = 5
    uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translateY"]
  }
}
)");
  const auto stage = scene_.Open("a.usda");
  const std::vector<Prim> prims = {Prim(), stage->FindPrim("/A/B"), stage->FindPrim("/A")};
  std::vector<TimeCode> times;
  for (int t = 0; t < 33; ++t) times.push_back(TimeCode::At(t));
  for (const bool with_local : {false, true}) {
    const auto batch = ComputeXforms(scene_.context(), prims, times, with_local, nullptr);
    ASSERT_TRUE(batch.ok());
    ASSERT_EQ(batch->world.size(), 99u);
    EXPECT_EQ(batch->local.size(), with_local ? 99u : 0u);
    EXPECT_GE(batch->reserved.bytes(), (with_local ? 2 : 1) * 99 * sizeof(Matrix4d));
    for (int t = 0; t < 33; ++t) {
      const auto item = static_cast<size_t>(t);
      EXPECT_EQ(batch->world[item], Matrix4d::Identity()) << "invalid prim";
      EXPECT_EQ(batch->world[33 + item], TranslationMatrix({0, 5, 0})) << t;
      EXPECT_EQ(batch->world[66 + item], TranslationMatrix({static_cast<double>(t), 0, 0})) << t;
    }
    EXPECT_EQ(std::vector<bool>(batch->resets.begin(), batch->resets.end()),
              (std::vector<bool>{false, true, false}));
  }
  EXPECT_TRUE(ComputeXforms(scene_.context(), {}, times, true, nullptr)->world.empty());
  EXPECT_TRUE(ComputeXforms(scene_.context(), prims, {}, true, nullptr)->world.empty());
}

TEST_F(XformTest, ManyOperationsAreAllApplied) {
  std::string ops, order;
  for (int i = 0; i < 600; ++i) {
    const std::string name = "xformOp:translateX:o" + std::to_string(i);
    ops += "  double " + name + ".timeSamples = { 0: 1, 10: 2 }\n";
    order += (i == 0 ? "\"" : ", \"") + name + "\"";
  }
  scene_.Write("a.usda", "def Xform \"A\" {\n" + ops + "  uniform token[] xformOpOrder = [" +
                             order + "]\n}\n");
  const auto stage = scene_.Open("a.usda");
  const auto query = XformQuery::Compile(scene_.context(), stage->FindPrim("/A"));
  RequestContext context;
  EXPECT_EQ(query.LocalAt(context, TimeCode::At(0)), TranslationMatrix({600, 0, 0}));
  EXPECT_EQ(context.steps(), 2 * 256u) << "for the second and third batch of 256 operations";
  EXPECT_EQ(query.LocalAt(scene_.context(), TimeCode::At(10)), TranslationMatrix({1200, 0, 0}));
}

TEST_F(XformTest, SampleTimesAreTheUnionOfAllOperations) {
  scene_.Write("a.usda", R"(
def Xform "A" {
  double xformOp:translateX.timeSamples = { 0: 0, 4: 1 }
  double xformOp:translateY.timeSamples = { 4: 0, 2: 1 }
  double xformOp:translateZ = 3
  uniform token[] xformOpOrder = ["xformOp:translateX", "xformOp:translateY", "xformOp:translateZ"]
}
)");
  const auto stage = scene_.Open("a.usda");
  const auto query = XformQuery::Compile(scene_.context(), stage->FindPrim("/A"));
  EXPECT_EQ(query.SampleTimes(scene_.context()), (Array<double>{0, 2, 4}));
  EXPECT_FALSE(query.resets_xform_stack());
}

TEST_F(XformTest, ParentToWorldIsTheTransformOfTheParent) {
  scene_.Write("a.usda", kTree);
  const auto stage = scene_.Open("a.usda");
  XformCache cache(TimeCode::At(0));
  EXPECT_EQ(cache.ParentToWorld(scene_.context(), stage->FindPrim("/A/S")),
            TranslationMatrix({10, 0, 0}));
  EXPECT_EQ(cache.ParentToWorld(scene_.context(), stage->FindPrim("/A")), Matrix4d::Identity());
  EXPECT_EQ(cache.ParentToWorld(scene_.context(), stage->PseudoRoot()), Matrix4d::Identity());
}

}  // namespace
}  // namespace stagedoor
