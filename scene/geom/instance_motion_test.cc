#include "scene/geom/instance_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

using Times = std::vector<double>;

class InstanceMotionTest : public testing::Test {
 protected:
  void Load(std::string_view attributes) {
    scene_.Write("a.usda", Concat("(\n  timeCodesPerSecond = 1\n)\ndef PointInstancer \"I\" {\n",
                                  attributes, R"(
  rel prototypes = </I/P>
  def Cube "P" {
    double xformOp:translateZ.timeSamples = { 0: 0, 0.7: 0 }
    uniform token[] xformOpOrder = ["xformOp:translateZ"]
  }
}
)"));
    stage_ = scene_.Open("a.usda");
    instancer_ = stage_->FindPrim(P("/I"));
  }
  MotionTimes Motion(double base, bool include_proto_transform = false) {
    MotionTimes times(0.25, 0.75);
    EXPECT_TRUE(AddInstanceMotion(scene_.context(), instancer_, TimeCode::At(base),
                                  include_proto_transform, &times)
                    .ok());
    return times;
  }
  static Times Numbers(const MotionTimes& times) {
    Times numbers;
    for (const MotionTime& at : times.times()) numbers.push_back(at.time);
    return numbers;
  }
  // The x coordinates of the instances of time 0 at another time.
  Times X(double time, bool apply_mask = true) {
    const auto found = ComputeInstanceSample(scene_.context(), instancer_, TimeCode::At(time),
                                             TimeCode::At(0), {.apply_mask = apply_mask});
    EXPECT_TRUE(found.ok()) << found.status();
    Times x;
    if (!found.ok()) return x;
    for (const Matrix4d& m : found->transforms) x.push_back(m.m[3][0]);
    return x;
  }

  InstanceArrays ArraysAt(double time) {
    const auto found =
        ComputeInstanceArrays(scene_.context(), instancer_, TimeCode::At(time), TimeCode::At(0));
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->arrays : InstanceArrays();
  }
  // How far the transforms of ArraysAt are from those of ComputeInstanceSample.
  double Deviation(double time) {
    const auto want =
        ComputeInstanceSample(scene_.context(), instancer_, TimeCode::At(time), TimeCode::At(0),
                              {.include_proto_transform = false, .apply_mask = false});
    EXPECT_TRUE(want.ok()) << want.status();
    const std::vector<Matrix4d> have = ComputeInstanceTransforms(ArraysAt(time), {});
    EXPECT_EQ(have.size(), want->transforms.size());
    double most = have.size() == want->transforms.size() ? 0 : 1;
    for (size_t i = 0; i < std::min(have.size(), want->transforms.size()); ++i) {
      for (int k = 0; k < 16; ++k) {
        most =
            std::max(most, std::abs(have[i].m[k / 4][k % 4] - want->transforms[i].m[k / 4][k % 4]));
      }
    }
    return most;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  Prim instancer_;
};

TEST_F(InstanceMotionTest, SamplesOfAllArraysAreJoined) {
  Load(R"(
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 0.5: [(1, 0, 0)], 3: [(1, 0, 0)] }
  float3[] scales.timeSamples = { 0.1: [(1, 1, 1)], 1: [(2, 2, 2)] }
  quath[] orientations.timeSamples = { 0.6: [(1, 0, 0, 0)], 2: [(1, 0, 0, 0)] }
)");
  EXPECT_EQ(Numbers(Motion(0.5)), (Times{0.1, 0.5, 0.6, 1}));
  EXPECT_EQ(Numbers(Motion(0.5, true)), (Times{0.1, 0.5, 0.6, 0.7, 1}));
}

TEST_F(InstanceMotionTest, RatesOfChangeDetermineTheTimes) {
  Load(R"(
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 0.5: [(1, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(1, 0, 0)], 0.5: [(1, 0, 0)] }
)");
  EXPECT_EQ(Numbers(Motion(0.5)), (Times{0.25, 0.75}));
  EXPECT_EQ(Motion(0.5).times()[0].SourcePath(), "/I.velocities");
  Load(R"(
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 0.5: [(1, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(1, 0, 0)], 0.5: [(1, 0, 0)] }
  vector3f[] accelerations.timeSamples = { 0: [(1, 0, 0)], 0.5: [(1, 0, 0)] }
)");
  EXPECT_EQ(Numbers(Motion(0.5)), (Times{0.25, 0.5, 0.75})) << "three samples by default";
  Load(R"(
  int[] protoIndices = [0]
  point3f[] positions = [(0, 0, 0)]
  quath[] orientations.timeSamples = { 0: [(1, 0, 0, 0)] }
  vector3f[] angularVelocities.timeSamples = { 0: [(0, 0, 90)] }
)");
  EXPECT_EQ(Numbers(Motion(0.5)), (Times{0.25, 0.5, 0.75}));
  EXPECT_EQ(Motion(0.5).times()[0].SourcePath(), "/I.angularVelocities");
}

// At time 1, instance 7 is gone, 8 and 9 have changed places, and 6 is new.
constexpr const char* kChanging = R"(
  int[] protoIndices.timeSamples = { 0: [0, 0, 0], 1: [0, 0, 0, 0] }
  int64[] ids.timeSamples = { 0: [7, 8, 9], 1: [9, 8, 6, 5] }
  point3f[] positions.timeSamples = { 0: [(70, 0, 0), (80, 0, 0), (90, 0, 0)],
                                      1: [(91, 0, 0), (81, 0, 0), (61, 0, 0), (51, 0, 0)] }
)";

TEST_F(InstanceMotionTest, InstancesAreFoundByTheirIds) {
  Load(kChanging);
  EXPECT_EQ(X(0), (Times{70, 80, 90}));
  EXPECT_EQ(X(1), (Times{70, 81, 91}));
}

TEST_F(InstanceMotionTest, TheMaskIsThatOfTheBaseTime) {
  Load(Concat(kChanging, "  int64[] invisibleIds.timeSamples = { 0: [8], 1: [9] }\n"));
  EXPECT_EQ(X(0), (Times{70, 90}));
  EXPECT_EQ(X(1), (Times{70, 91}));
  EXPECT_EQ(X(1, false), (Times{70, 81, 91}));
}

TEST_F(InstanceMotionTest, InstancesWithVelocitiesKeepTheirPlaces) {
  Load(Concat(kChanging, R"(
  vector3f[] velocities.timeSamples = { 0: [(1, 0, 0), (2, 0, 0), (3, 0, 0)],
                                        1: [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)] }
)"));
  EXPECT_EQ(X(1), (Times{71, 82, 93}));
}

TEST_F(InstanceMotionTest, InstancesWithoutIdsKeepTheirCount) {
  Load(R"(
  int[] protoIndices.timeSamples = { 0: [0, 0], 1: [0, 0, 0] }
  point3f[] positions.timeSamples = { 0: [(7, 0, 0), (8, 0, 0)], 1: [(1, 0, 0), (2, 0, 0), (3, 0, 0)] }
)");
  EXPECT_EQ(X(1), (Times{7, 8})) << "the arrays do not fit together";
  Load(R"(
  int[] protoIndices = [0, 0]
  point3f[] positions.timeSamples = { 0: [(7, 0, 0), (8, 0, 0)], 1: [(1, 0, 0), (2, 0, 0)] }
)");
  EXPECT_EQ(X(1), (Times{1, 2}));
}

TEST_F(InstanceMotionTest, ArraysWithoutRatesGiveTheSameTransforms) {
  Load(R"(
  int[] protoIndices = [0, 0]
  point3f[] positions.timeSamples = { 0: [(7, 0, 0), (8, 0, 0)], 1: [(1, 0, 0), (2, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(1, 2, 0), (0, 1, 0)], 1: [(1, 0, 0), (2, 0, 0)] }
  float3[] scales = [(1, 2, 3), (0, -1, 1)]
  quath[] orientations.timeSamples = { 0: [(1, 0, 0, 0), (0.5, 0.5, 0.5, 0.5)] }
  vector3f[] angularVelocities.timeSamples = { 0: [(0, 0, 90), (10, 20, 0)] }
)");
  EXPECT_LT(Deviation(0.5), 1e-6);
  const InstanceArrays arrays = ArraysAt(0.5);
  EXPECT_TRUE(arrays.velocities.empty());
  EXPECT_TRUE(arrays.angular_velocities.empty());
  EXPECT_EQ(arrays.positions[0], (Vec3f{7.5, 1, 0}));
  EXPECT_NEAR(arrays.orientations[0].imaginary[2], std::sin(0.125 * std::numbers::pi), 1e-6)
      << "a quarter of a turn a second";
}

TEST_F(InstanceMotionTest, ArraysAreThoseOfTheInstancesOfTheBaseTime) {
  Load(Concat(kChanging, R"(
  float3[] scales = [(7, 7, 7), (8, 8, 8), (9, 9, 9), (5, 5, 5)]
  quath[] orientations.timeSamples = { 1: [(0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 0, 0, 0)] }
)"));
  EXPECT_EQ(Deviation(0), 0);
  EXPECT_EQ(Deviation(1), 0);
  EXPECT_EQ(ArraysAt(1).positions[2], (Vec3f{91, 0, 0}));
  Load(R"(
  int[] protoIndices = [0]
  point3f[] positions = []
)");
  EXPECT_EQ(ComputeInstanceArrays(scene_.context(), instancer_, TimeCode::At(0), TimeCode::At(0))
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stagedoor
