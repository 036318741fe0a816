// Expected results come from usd-core 26.11.
#include "scene/geom/point_based.h"

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr std::string_view kPoints =
    "point3f[] points.timeSamples = { 0: [(0, 0, 0)], 5: [(5, 0, 0)] }\n";
constexpr std::string_view kVelocities =
    "vector3f[] velocities.timeSamples = { 0: [(0, 100, 0)], 5: [(0, 100, 0)] }\n";

class PointBasedTest : public testing::Test {
 protected:
  void Open(std::string_view body, std::string_view rate = "1") {
    scene_.Write("a.usda", Concat("(\n  timeCodesPerSecond = ", rate, "\n)\ndef Mesh \"M\" {\n",
                                  body, "\n}\n"));
    stage_ = scene_.Open("a.usda");
  }
  absl::StatusOr<PointsAtTime> Compute(TimeCode time, TimeCode base) {
    return ComputePoints(scene_.context(), stage_->FindPrim("/M"), time, base);
  }
  std::vector<Vec3f> At(double time, double base) {
    const auto found = Compute(TimeCode::At(time), TimeCode::At(base));
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? std::vector<Vec3f>(found->points.begin(), found->points.end())
                      : std::vector<Vec3f>();
  }
  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

using Points = std::vector<Vec3f>;

TEST_F(PointBasedTest, VelocitiesMovePointsFromTheSampleBeforeTheBaseTime) {
  Open(Concat(kPoints, kVelocities));
  EXPECT_EQ(At(1, 0), (Points{{0, 100, 0}}));
  EXPECT_EQ(At(1, 1), (Points{{0, 100, 0}}));
  EXPECT_EQ(At(3, 5), (Points{{5, -200, 0}}));
  EXPECT_EQ(At(-1, -1), (Points{{0, -100, 0}}));
  EXPECT_EQ(At(6, 5), (Points{{5, 100, 0}}));
}

TEST_F(PointBasedTest, AccelerationsApplyIfTheyAreSampledLikeVelocities) {
  Open(Concat(kPoints, kVelocities,
              "vector3f[] accelerations.timeSamples = { 0: [(0, 0, 2)], 5: [(0, 0, 2)] }"));
  EXPECT_EQ(At(2, 0), (Points{{0, 200, 4}}));
  Open(Concat(kPoints, kVelocities,
              "vector3f[] accelerations.timeSamples = { 0: [(0, 0, 2)], 4: [(0, 0, 2)] }"));
  EXPECT_EQ(At(2, 0), (Points{{0, 200, 0}}));
  Open(
      Concat(kPoints, "vector3f[] accelerations.timeSamples = { 0: [(0, 0, 2)], 5: [(0, 0, 2)] }"));
  EXPECT_EQ(At(2, 0), (Points{{2, 0, 0}})) << "without velocities";
}

TEST_F(PointBasedTest, PointsAreInterpolatedWithoutMatchingVelocities) {
  for (const std::string_view velocities :
       {"", "vector3f[] velocities = [(0, 100, 0)]",
        "vector3f[] velocities.timeSamples = { 0: [(0, 100, 0)] }",
        "vector3f[] velocities.timeSamples = { 0: [(0, 1, 0), (0, 1, 0)], 5: [(0, 1, 0)] }"}) {
    Open(Concat(kPoints, velocities));
    EXPECT_EQ(At(2, 0), (Points{{2, 0, 0}})) << velocities;
    EXPECT_EQ(At(2, 3), (Points{{2, 0, 0}})) << velocities;
  }
}

TEST_F(PointBasedTest, TheNumberOfPointsMayChange) {
  Open(R"(
point3f[] points.timeSamples = { 0: [(0, 0, 0), (1, 1, 1)], 5: [(5, 0, 0)] }
vector3f[] velocities.timeSamples = { 0: [(0, 100, 0), (0, 1, 0)], 5: [(0, 100, 0)] }
)");
  EXPECT_EQ(At(2, 0), (Points{{0, 200, 0}, {1, 3, 1}}));
  EXPECT_EQ(At(3, 5), (Points{{5, -200, 0}}));
  Open(
      "point3f[] points.timeSamples = { 1: [(1, 0, 0)], 3: [(1, 0, 0), (2, 0, 0)], 5: [(5, 0, 0)] "
      "}");
  EXPECT_EQ(At(6, 1), (Points{{5, 0, 0}}));
  EXPECT_EQ(At(4, 1.75), (Points{{1, 0, 0}})) << "two points at this time";
  Open("point3f[] points.timeSamples = { 1: [], 5: [(5, 0, 0)] }");
  EXPECT_EQ(At(6, 1), Points());
  EXPECT_EQ(At(1, 5), (Points{{5, 0, 0}}));
}

TEST_F(PointBasedTest, TimeCodesHaveADuration) {
  Open(Concat(kPoints, kVelocities), "-2");
  EXPECT_EQ(At(1, 0), (Points{{0, -50, 0}}));
  Open(Concat(kPoints, kVelocities), "0");
  EXPECT_EQ(At(1, 0), (Points{{0, 0, 0}})) << "OpenUSD's are not finite";
}

TEST_F(PointBasedTest, BothTimesAreNumericOrDefault) {
  Open("point3f[] points = [(1, 2, 3)]");
  EXPECT_EQ(Compute(TimeCode::Default(), TimeCode::Default())->points, (Array<Vec3f>{{1, 2, 3}}));
  EXPECT_EQ(Compute(TimeCode::At(1), TimeCode::Default()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Compute(TimeCode::Default(), TimeCode::At(1)).status().code(),
            absl::StatusCode::kFailedPrecondition);
  Open(kPoints);
  EXPECT_TRUE(Compute(TimeCode::Default(), TimeCode::Default())->points.empty());
}

TEST_F(PointBasedTest, MovedPointsAreReserved) {
  std::string many = "(1, 1, 1)";
  for (int i = 1; i < 2000; ++i) many += ", (1, 1, 1)";
  Open(Concat("point3f[] points.timeSamples = { 0: [", many, "] }\n",
              "vector3f[] velocities.timeSamples = { 0: [", many, "] }\n"));
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = 20000});
  EXPECT_EQ(ComputePoints(context, stage_->FindPrim("/M"), TimeCode::At(1), TimeCode::At(0))
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(MotionSettingsTest, AreThoseOfTheClosestOpinion) {
  TestScene scene;
  scene.Write("a.usda", R"(
def Xform "A" ( apiSchemas = ["MotionAPI"] ) {
  float motion:blurScale = 2
  int motion:nonlinearSampleCount = 5
  float motion:velocityScale = 3
  def Xform "NoApi" {
    float motion:blurScale = 7
    def Mesh "M" ( apiSchemas = ["MotionAPI"] ) {
      float motion:blurScale = None
    }
  }
  def "Untyped" ( apiSchemas = ["MotionAPI"] ) {
    int motion:nonlinearSampleCount = 12
  }
  def Mesh "S" ( apiSchemas = ["MotionAPI"] ) {
    float motion:blurScale.timeSamples = { 0: 4, 10: 6 }
    double motion:velocityScale = 4
  }
}
def Mesh "B" {}
)");
  const auto stage = scene.Open("a.usda");
  const auto at = [&](std::string_view path, TimeCode time) {
    const MotionSettings found =
        ComputeMotionSettings(scene.context(), stage->FindPrim(P(path)), time);
    return Concat(found.blur_scale, " ", found.nonlinear_sample_count, " ", found.velocity_scale);
  };
  EXPECT_EQ(at("/A", TimeCode::At(5)), "2 5 3");
  EXPECT_EQ(at("/A/NoApi/M", TimeCode::At(5)), "2 5 3");
  EXPECT_EQ(at("/A/Untyped", TimeCode::At(5)), "2 12 3");
  EXPECT_EQ(at("/A/S", TimeCode::At(5)), "5 5 3") << "a velocity scale of another type is none";
  EXPECT_EQ(at("/A/S", TimeCode::Default()), "1 5 1") << "the fallbacks";
  EXPECT_EQ(at("/B", TimeCode::At(5)), "1 3 1");
}

}  // namespace
}  // namespace stagedoor
