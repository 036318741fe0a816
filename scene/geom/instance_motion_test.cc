#include "scene/geom/instance_motion.h"

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

}  // namespace
}  // namespace stagedoor
