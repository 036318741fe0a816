#include "scene/geom/point_instancer.h"

#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

constexpr const char* kInstancer = R"(
def PointInstancer "I" (
  inactiveIds = []
) {
  int[] protoIndices = [0, 1, 0]
  int64[] ids = [5, 6, 7]
  int64[] invisibleIds = [6]
  point3f[] positions.timeSamples = {
    0: [(0, 0, 0), (1, 0, 0), (2, 0, 0)], 10: [(0, 5, 0), (1, 5, 0), (2, 5, 0)]
  }
  vector3f[] velocities.timeSamples = {
    0: [(24, 0, 0), (0, 24, 0), (0, 0, 48)], 10: [(0, 0, 0), (0, 0, 0), (0, 0, 0)]
  }
  vector3f[] accelerations.timeSamples = {
    0: [(0, 576, 0), (0, 0, 0), (0, 0, 0)], 10: [(0, 0, 0), (0, 0, 0), (0, 0, 0)]
  }
  quath[] orientations.timeSamples = {
    0: [(1, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0)], 10: [(1, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0)]
  }
  vector3f[] angularVelocities.timeSamples = {
    0: [(0, 0, 240), (0, 0, 0), (0, 0, 480)], 10: [(0, 0, 0), (0, 0, 0), (0, 0, 0)]
  }
  rel prototypes = [</I/A>, </I/B>]
  def Sphere "A" {
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
  def Cube "B" {
  }
}
)";

class PointInstancerTest : public testing::Test {
 protected:
  PointInstancerTest() {
    scene_.Write("a.usda", std::string("( timeCodesPerSecond = 24 )\n") + kInstancer);
    stage_ = scene_.Open("a.usda");
  }
  // The point (1, 0, 0) transformed by each instance.
  std::vector<Vec3d> Points(double time, double base, const InstanceOptions& options = {}) {
    const auto instances = ComputeInstanceTransforms(
        scene_.context(), stage_->FindPrim("/I"), TimeCode::At(time), TimeCode::At(base), options);
    EXPECT_TRUE(instances.ok()) << instances.status();
    std::vector<Vec3d> points;
    if (!instances.ok()) return points;
    for (const Matrix4d& m : instances->transforms) points.push_back(Transform({1, 0, 0}, m));
    return points;
  }
  void Expect(const std::vector<Vec3d>& actual, const std::vector<Vec3d>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(actual[i][c], expected[i][c], 1e-4) << i << " " << c;
    }
  }
  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

// Expected values in this file come from usd-core 26.11.
TEST_F(PointInstancerTest, VelocitiesMoveInstancesFromThePrecedingSample) {
  Expect(Points(6, 0), {{6.5, 18.86603, 1}, {1.5, 0.86603, 13}});
  Expect(Points(6, 6), {{6.5, 18.86603, 1}, {1.5, 0.86603, 13}});
  Expect(Points(12, 12), {{1, 5, 1}, {3, 5, 1}});
  Expect(Points(0, 0), {{1, 0, 1}, {3, 0, 1}});
}

TEST_F(PointInstancerTest, VelocitiesMustBeSampledLikePositions) {
  const struct {
    const char* velocities;
    double time, base;
    Vec3d expected;
  } cases[] = {
      {"0: [(0, 100, 0)], 5: [(0, 100, 0)]", 1, 0, {0, 100, 0}},
      {"0: [(0, 100, 0)], 5: [(0, 100, 0)]", 3, 5, {5, -200, 0}},
      {"0: [(0, 100, 0)]", 1, 0, {1, 0, 0}},
      {"0: [(0, 100, 0)]", 1, 1, {1, 0, 0}},
      {"0: [(0, 100, 0)]", -1, -1, {0, -100, 0}},
      {"5: [(0, 100, 0)]", 6, 5, {5, 100, 0}},
      {"5: [(0, 100, 0)]", 1, 0, {1, 0, 0}},
  };
  for (const auto& c : cases) {
    scene_.Write("v.usda", R"(( timeCodesPerSecond = 1 )
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 5: [(5, 0, 0)] }
  vector3f[] velocities.timeSamples = { )" +
                               std::string(c.velocities) +
                               " }\n  rel prototypes = </I/S>\n  def Sphere \"S\" {\n  }\n}\n");
    stage_ = scene_.Open("v.usda");
    Expect(Points(c.time, c.base), {{c.expected[0] + 1, c.expected[1], c.expected[2]}});
  }
}

TEST_F(PointInstancerTest, TimeCodesPerSecondMayBeNegativeOrInvalid) {
  for (const auto& [rate, x] : std::vector<std::pair<std::string, double>>{
           {"24", 3}, {"-24", -1}, {"0", 1}, {"inf", 1}, {"nan", 1}}) {
    SCOPED_TRACE(rate);
    scene_.Write("v.usda", "( timeCodesPerSecond = " + rate + R"( )
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 1: [(0, 0, 0)], 5: [(9, 9, 9)] }
  vector3f[] velocities.timeSamples = { 1: [(24, 0, 0)], 5: [(24, 0, 0)] }
  rel prototypes = </I/S>
  def Sphere "S" {
  }
}
)");
    stage_ = scene_.Open("v.usda");
    Expect(Points(3, 1), {{x, 0, 0}});
  }
}

TEST_F(PointInstancerTest, ArraysWithoutRatesAreHeldWhileOthersMove) {
  const std::string positions =
      "point3f[] positions.timeSamples = { 1: [(1, 0, 0)], 5: [(5, 0, 0)] }";
  const std::string scales = "float3[] scales.timeSamples = { 1: [(2, 1, 1)], 5: [(6, 1, 1)] }";
  const std::string turns =
      "quatf[] orientationsf.timeSamples = { 1: [(1, 0, 0, 0)], 3: [(0, 0, 0, 1)] }";
  const std::string spins =
      "vector3f[] angularVelocities.timeSamples = { 1: [(0, 0, 90)], 3: [(0, 0, 90)] }";
  const struct {
    const char* what;
    std::string fields;
    double time, base;
    Vec3d expected;
  } cases[] = {
      {"nothing moves", turns, 2, 2, {2, 3, 0}},
      {"it rotates", turns + "\n" + spins, 2, 2, {1, 2, 0}},
      {"it rotates from a later sample", turns + "\n" + spins, 4, 4, {1, -2, 0}},
      {"it moves",
       "vector3f[] velocities.timeSamples = { 1: [(0, 1, 0)], 5: [(0, 1, 0)] }\n" + turns,
       2,
       2,
       {3, 1, 0}},
      {"it moves from a sample with another orientation",
       "vector3f[] velocities.timeSamples = { 1: [(0, 1, 0)], 5: [(0, 1, 0)] }\n" + turns,
       4,
       4,
       {-1, 3, 0}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    scene_.Write("h.usda", "( timeCodesPerSecond = 1 )\ndef PointInstancer \"I\" {\n" +
                               std::string("int[] protoIndices = [0]\n") + positions + "\n" +
                               scales + "\n" + c.fields +
                               "\nrel prototypes = </I/S>\ndef Sphere \"S\" {\n}\n}\n");
    stage_ = scene_.Open("h.usda");
    Expect(Points(c.time, c.base), {c.expected});
  }
}

TEST_F(PointInstancerTest, FallsBackToTheSampleBeforeTheBaseTime) {
  scene_.Write("n.usda", R"(( timeCodesPerSecond = 1 )
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 1: [(1, 0, 0)], 2: [(2, 0, 0)], 5: None }
  float3[] scales.timeSamples = { 1: [(2, 1, 1)], 2: [(3, 1, 1)], 5: [(9, 9, 9), (9, 9, 9)] }
  rel prototypes = </I/S>
  def Sphere "S" {
  }
})");
  stage_ = scene_.Open("n.usda");
  Expect(Points(7, 4), {{5, 0, 0}});
  const auto instances = ComputeInstanceTransforms(scene_.context(), stage_->FindPrim("/I"),
                                                   TimeCode::At(4), TimeCode::At(7));
  EXPECT_EQ(instances.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(PointInstancerTest, SurplusScalesAndOrientationsAreIgnored) {
  scene_.Write("s.usda", R"(def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions = [(1, 0, 0)]
  float3[] scales = [(2, 2, 2), (3, 3, 3)]
  quatf[] orientationsf = []
  quath[] orientations = [(0, 0, 0, 1), (1, 0, 0, 0)]
  rel prototypes = </I/S>
  def Sphere "S" {
  }
})");
  stage_ = scene_.Open("s.usda");
  Expect(Points(1, 1), {{-1, 0, 0}});
}

TEST_F(PointInstancerTest, FloatOrientationsAreUsedIfTheirFirstSampleIsNotEmpty) {
  const struct {
    const char* samples;
    Vec3d expected;
  } cases[] = {{"1: [(0, 1, 0, 0)]", {2, -1, 0}},
               {"1: [(0, 1, 0, 0)], 5: []", {2, 1, 0}},
               {"1: [], 5: [(0, 1, 0, 0)]", {0, -1, 0}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.samples);
    scene_.Write("o.usda", std::string(R"(def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions = [(1, 0, 0)]
  quath[] orientations = [(0, 0, 0, 1)]
  rel prototypes = </I/S>
  def Sphere "S" {
    double3 xformOp:translate = (0, 1, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
  quatf[] orientationsf.timeSamples = { )") +
                               c.samples + " }\n}\n");
    stage_ = scene_.Open("o.usda");
    Expect(Points(5, 5), {c.expected});
  }
}

TEST_F(PointInstancerTest, AccelerationsMustBeSampledLikePositions) {
  const struct {
    const char* samples;
    double base, moved;  // `moved`: by acceleration in half a second
  } cases[] = {{"1: [(0, 80, 0)], 3: [(0, 80, 0)]", 1, 10},
               {"1: [(0, 80, 0)]", 1, 0},
               {"3: [(0, 80, 0)]", 3, 10},
               {"1: [(0, 80, 0)], 2: [(0, 80, 0)]", 1, 0},
               {"1: [(0, 80, 0)]", 0, 10},
               {"1: [(0, 80, 0), (0, 80, 0)], 3: []", 1, 0},
               {"1: None, 3: [(0, 80, 0)]", 1, 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.samples << " at " << c.base);
    scene_.Write("a.usda", R"(( timeCodesPerSecond = 1 )
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 1: [(0, 0, 0)], 3: [(0, 0, 0)] }
  vector3f[] velocities.timeSamples = { 1: [(0, 0, 0)], 3: [(0, 0, 0)] }
  vector3f[] accelerations.timeSamples = { )" +
                               std::string(c.samples) +
                               " }\n  rel prototypes = </I/S>\n  def Sphere \"S\" {\n  }\n}\n");
    stage_ = scene_.Open("a.usda");
    const double sample = std::max(c.base, 1.0);
    Expect(Points(sample + 0.5, c.base), {{1, c.moved, 0}});
  }
}

TEST_F(PointInstancerTest, MaskAndPrototypeTransformAreOptional) {
  Expect(Points(0, 0, {.include_proto_transform = false, .apply_mask = false}),
         {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}});
  const auto mask =
      ComputeInstanceMask(scene_.context(), stage_->FindPrim("/I"), TimeCode::At(0), 3);
  EXPECT_EQ(mask, (std::vector<bool>{true, false, true}));
}

TEST_F(PointInstancerTest, MaskFollowsIdsOfAnyNumber) {
  const auto instances = [&](const std::string& ids, bool apply_mask) {
    scene_.Write("m.usda", R"(def PointInstancer "I" {
  int[] protoIndices = [0, 0]
  point3f[] positions = [(0, 0, 0), (1, 0, 0)]
  rel prototypes = </I/A>
  def Sphere "A" {
  }
)" + ids + "\n}\n");
    const auto stage = scene_.Open("m.usda");
    return ComputeInstanceTransforms(scene_.context(), stage->FindPrim("/I"), TimeCode::At(0),
                                     TimeCode::At(0), {.apply_mask = apply_mask});
  };
  const std::string three = "int64[] ids = [5, 6, 7]\nint64[] invisibleIds = ";
  EXPECT_FALSE(instances(three + "[7]", true).ok());
  EXPECT_TRUE(instances(three + "[7]", false).ok());
  EXPECT_EQ(instances(three + "[1]", true)->transforms.size(), 2u);
  EXPECT_EQ(instances("int64[] ids = []\nint64[] invisibleIds = [1]", true)->transforms.size(), 2u);
  EXPECT_EQ(instances("int64[] invisibleIds = [1]", true)->transforms.size(), 1u);
}

// As in OpenUSD, also if the index is that of another prototype, or the target is only reordered.
TEST_F(PointInstancerTest, PrototypesOutsideOfTheReferenceAreErrors) {
  const auto instances = [&](std::string_view prototypes) {
    scene_.Write("in.usda", Concat("def \"Lib\" {\n}\ndef \"W\" {\ndef PointInstancer \"I\" {\n",
                                   "int[] protoIndices = [0]\npoint3f[] positions = [(1, 2, 3)]\n",
                                   prototypes, "\ndef Mesh \"A\" {\n}\n}\n}\n"));
    scene_.Write("out.usda", "def \"W\" (references = @./in.usda@</W>) {\n}\n");
    const auto stage = scene_.Open("out.usda");
    return ComputeInstanceTransforms(scene_.context(), stage->FindPrim("/W/I"), TimeCode::At(0),
                                     TimeCode::At(0))
        .status()
        .code();
  };
  constexpr auto kBroken = absl::StatusCode::kFailedPrecondition;
  EXPECT_EQ(instances("rel prototypes = [</Lib>, </W/I/A>]"), kBroken);
  EXPECT_EQ(instances("append rel prototypes = [</W/I/A>, </Lib>]"), kBroken);
  const std::string own = "prepend rel prototypes = </W/I/A>\n";
  EXPECT_EQ(instances(own + "reorder rel prototypes = [</Lib>]"), kBroken);
  EXPECT_EQ(instances(own + "delete rel prototypes = </Lib>"), absl::StatusCode::kOk);
}

TEST_F(PointInstancerTest, MismatchedArraysAreErrors) {
  const struct {
    const char* what;
    const char* fields;
  } cases[] = {
      {"no indices", "point3f[] positions = []\nrel prototypes = </I/A>"},
      {"no prototypes", "int[] protoIndices = [0]\npoint3f[] positions = [(0, 0, 0)]"},
      {"no positions", "int[] protoIndices = [0]\nrel prototypes = </I/A>"},
      {"too few positions",
       "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0, 0, 0)]\nrel prototypes = </I/A>"},
      {"too few scales",
       "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0, 0, 0), (1, 0, 0)]\n"
       "float3[] scales = [(1, 1, 1)]\nrel prototypes = </I/A>"},
      {"too few orientations",
       "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0, 0, 0), (1, 0, 0)]\n"
       "quath[] orientations = [(1, 0, 0, 0)]\nrel prototypes = </I/A>"},
      {"index out of range",
       "int[] protoIndices = [1]\npoint3f[] positions = [(0, 0, 0)]\nrel prototypes = </I/A>"},
      {"negative index",
       "int[] protoIndices = [-1]\npoint3f[] positions = [(0, 0, 0)]\nrel prototypes = </I/A>"},
  };
  for (const auto& c : cases) {
    scene_.Write("b.usda", "def PointInstancer \"I\" {\n" + std::string(c.fields) +
                               "\ndef Sphere \"A\" {\n}\n}\n");
    const auto stage = scene_.Open("b.usda");
    const auto instances = ComputeInstanceTransforms(scene_.context(), stage->FindPrim("/I"),
                                                     TimeCode::At(0), TimeCode::At(0));
    EXPECT_EQ(instances.status().code(), absl::StatusCode::kFailedPrecondition) << c.what;
  }
}

TEST_F(PointInstancerTest, ManyInstancesAreAllPlaced) {
  constexpr int kCount = 2050;
  std::string indices, positions;
  for (int i = 0; i < kCount; ++i) {
    indices += i == 0 ? "0" : ", 0";
    positions += Concat(i == 0 ? "" : ", ", "(", i, ", 0, 0)");
  }
  scene_.Write("many.usda", Concat(R"(
def PointInstancer "I" {
  rel prototypes = </I/A>
  int[] protoIndices = [)",
                                   indices, R"(]
  point3f[] positions = [)",
                                   positions, R"(]
  def Cube "A" {}
}
)"));
  const auto stage = scene_.Open("many.usda");
  const auto instances = ComputeInstanceTransforms(scene_.context(), stage->FindPrim("/I"),
                                                   TimeCode::Default(), TimeCode::Default(), {});
  ASSERT_TRUE(instances.ok()) << instances.status();
  ASSERT_EQ(instances->transforms.size(), static_cast<size_t>(kCount));
  for (const size_t i : {0, 1, 1023, 1024, 1025, 2047, 2048, 2049}) {
    EXPECT_EQ(instances->transforms[i].m[3][0], static_cast<double>(i));
  }
}

TEST_F(PointInstancerTest, InvisibleIdsReserveMemory) {
  std::string ids = "0";
  for (int i = 1; i < 1000; ++i) ids += Concat(", ", i);
  scene_.Write("hidden.usda",
               Concat("def PointInstancer \"I\" { int64[] invisibleIds = [", ids, "]; }\n"));
  const auto stage = scene_.Open("hidden.usda");
  const auto mask = [&](size_t bytes) {
    RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = bytes});
    return ComputeInstanceMask(context, stage->FindPrim("/I"), TimeCode::Default(), 2);
  };
  EXPECT_EQ(mask(48000), (std::vector<bool>{false, false}));
  EXPECT_EQ(mask(47999), std::vector<bool>{}) << "the request is over";
}

}  // namespace
}  // namespace stagedoor
