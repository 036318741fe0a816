#include "scene/geom/motion_times.h"

#include <string>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/geom/camera.h"
#include "scene/geom/point_based.h"
#include "scene/geom/primvar.h"
#include "scene/geom/xform_motion.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

using Times = std::vector<double>;

// A parent, a child and a prim that resets the transform stack, with samples at different times.
constexpr const char* kChain = R"(
def Xform "A" {
  double xformOp:translateX.timeSamples = { -3: 0, 0: 1, 10: 2 }
  double xformOp:translateY.timeSamples = { 0: 0, 0.2: 1, 20: 2 }
  uniform token[] xformOpOrder = ["xformOp:translateX", "xformOp:translateY"]
  def Scope "S" {
    def Xform "B" {
      float xformOp:rotateZ.timeSamples = { -1: 0, 0.1: 1, 3: 2 }
      uniform token[] xformOpOrder = ["xformOp:rotateZ"]
    }
    def Xform "R" {
      double xformOp:translateX.timeSamples = { 0.3: 0, 0.4: 1 }
      uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translateX"]
    }
    def Cube "Still" {
      double3 xformOp:translate = (1, 0, 0)
      double xformOp:translateX:once.timeSamples = { 0.15: 4 }
      double xformOp:translateX:over.timeSamples = { 50: 4, 60: 5 }
      uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:translateX:once", "xformOp:translateX:over"]
    }
  }
}
def Cube "Fixed" {
  double xformOp:translateX:over.timeSamples = { 50: 4, 60: 5 }
  uniform token[] xformOpOrder = ["xformOp:translateX:over"]
}
)";

class MotionTimesTest : public testing::Test {
 protected:
  void Load(std::string_view text) {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
  }
  MotionTimes OfXform(std::string_view path, double begin, double end) {
    MotionTimes times(begin, end);
    EXPECT_TRUE(AddXformMotion(scene_.context(), stage_->FindPrim(P(path)), &times).ok());
    return times;
  }
  static Times Numbers(const std::vector<MotionTime>& times) {
    Times numbers;
    for (const MotionTime& at : times) numbers.push_back(at.time);
    return numbers;
  }
  static std::vector<std::string> Sources(const std::vector<MotionTime>& times) {
    std::vector<std::string> sources;
    for (const MotionTime& at : times) sources.push_back(at.SourcePath());
    return sources;
  }
  RequestContext& context() { return scene_.context(); }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(MotionTimesTest, SamplesOfAllAncestorsAreJoined) {
  Load(kChain);
  const struct {
    const char* path;
    double begin, end;
    Times expected;
  } cases[] = {
      {"/A", -0.25, 0.25, {-3, 0, 0.2, 10}},
      {"/A/S", -0.25, 0.25, {-3, 0, 0.2, 10}},
      {"/A/S/B", -0.25, 0.25, {-1, 0, 0.1, 0.2, 3}},
      {"/A/S/Still", -0.25, 0.25, {-3, 0, 0.2, 10}},
      {"/A/S/R", 0.25, 0.35, {0.3, 0.4}},
      {"/A/S/R", -0.25, 0.25, {}},
      {"/Fixed", -0.25, 0.25, {}},
      {"/Fixed", 49, 50, {}},
      {"/Fixed", 49, 50.5, {50, 60}},
      {"/A", 0, 0.2, {0, 0.2}},
      {"/A", 21, 22, {}},
      {"/A", 15, 22, {0.2, 20}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Numbers(OfXform(c.path, c.begin, c.end).times()), c.expected)
        << c.path << " in " << c.begin << " to " << c.end;
  }
}

// Where a clip without values follows, clips that interpolate missing values may name an earlier
// sample as the next one than as the previous one.
TEST_F(MotionTimesTest, TheClosestSampleOfAnAncestorCountsAlone) {
  const auto write_clip = [&](std::string_view name, std::string_view samples) {
    scene_.Write(name, Concat("over \"A\" {\n  double xformOp:translateX", samples, "\n}\n"));
  };
  write_clip("first.usda", ".timeSamples = { 0: 4 }");
  write_clip("second.usda", ".timeSamples = { 1: 5, 2: 6, 5: 7 }");
  write_clip("manifest.usda", "");
  scene_.Write("last.usda", "over \"A\" {\n}\n");
  Load(R"(
def Xform "A" (
  clips = {
    dictionary default = {
      asset[] assetPaths = [@./first.usda@, @./second.usda@, @./last.usda@]
      asset manifestAssetPath = @./manifest.usda@
      string primPath = "/A"
      double2[] active = [(0, 0), (1, 1), (4, 2)]
      bool interpolateMissingClipValues = 1
    }
  }
) {
  double xformOp:translateX
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Xform "B" {
    double xformOp:rotateZ.timeSamples = { 0: 1, 3.5: 2, 5: 3 }
    uniform token[] xformOpOrder = ["xformOp:rotateZ"]
  }
}
)");
  EXPECT_EQ(Numbers(OfXform("/A/B", 3, 5).times()), (Times{2, 3.5, 5}));
  EXPECT_FALSE(OfXform("/A", 3, 5).varies());
}

TEST_F(MotionTimesTest, PrimsThatMoveWithTheSameAncestorsShareTheirTimes) {
  Load(kChain);
  const std::vector<Prim> prims = {stage_->FindPrim(P("/A/S/Still")), stage_->FindPrim(P("/A")),
                                   stage_->FindPrim(P("/Fixed")), Prim(), stage_->PseudoRoot()};
  const auto motion = FindXformMotion(context(), prims, 0, 1);
  ASSERT_TRUE(motion.ok());
  ASSERT_EQ(motion->times.size(), 5u);
  EXPECT_NE(motion->times[0], nullptr);
  EXPECT_EQ(motion->times[0], motion->times[1]);
  for (const size_t still : {2, 3, 4}) EXPECT_EQ(motion->times[still], nullptr) << still;
  EXPECT_GT(motion->reserved.bytes(), 0u);
}

TEST_F(MotionTimesTest, TheClosestAttributeIsTheSource) {
  Load(kChain);
  EXPECT_EQ(Sources(OfXform("/A/S/B", -0.25, 0.25).times()),
            (std::vector<std::string>{"/A/S/B.xformOp:rotateZ", "/A.xformOp:translateY",
                                      "/A/S/B.xformOp:rotateZ", "/A.xformOp:translateY",
                                      "/A/S/B.xformOp:rotateZ"}));
}

TEST_F(MotionTimesTest, PoliciesSelectTimes) {
  Load(kChain);
  const auto select = [&](const SamplePolicy& policy) {
    return Numbers(OfXform("/A/S/B", policy.open, policy.close).Select(policy, 0).times);
  };
  SamplePolicy policy{.open = -0.25, .close = 0.25};
  EXPECT_EQ(select(policy), (Times{-1, 0, 0.1, 0.2, 3}));
  policy.at_ends = true;
  EXPECT_EQ(select(policy), (Times{-0.25, 0, 0.1, 0.2, 0.25}));
  policy.open = 0.1;
  policy.close = 0.2;
  EXPECT_EQ(select(policy), (Times{0.1, 0.2})) << "there are samples at the ends";
  policy = {.open = -0.25, .close = 0.25, .segments = 4};
  EXPECT_EQ(select(policy), (Times{-0.25, -0.125, 0, 0.125, 0.25}));
  policy = {.open = 0.5, .close = 0.5};
  EXPECT_EQ(select(policy), (Times{0.5})) << "the shutter is open for no time";
}

TEST_F(MotionTimesTest, WhatCannotVaryHasOneSampleInTheShutter) {
  Load(kChain);
  const MotionTimes still = OfXform("/Fixed", 0.25, 0.5);
  EXPECT_FALSE(still.varies());
  const SamplePolicy after{.open = 0.25, .close = 0.5, .segments = 8};
  EXPECT_EQ(Numbers(still.Select(after, 0).times), (Times{0.25}));
  const SamplePolicy around{.open = -1, .close = 1};
  EXPECT_EQ(Numbers(SteadySelection(around, 7).times), (Times{7}));
  const SamplePolicy before{.open = -1, .close = -0.5};
  EXPECT_EQ(Numbers(SteadySelection(before, 7).times), (Times{6.5}));
}

TEST_F(MotionTimesTest, TooManySamplesAreThinnedEvenly) {
  std::string samples;
  for (int i = 0; i <= 100; ++i) samples += std::to_string(i) + ": 0, ";
  Load("def Xform \"A\" {\n  double xformOp:translateX.timeSamples = { " + samples +
       "}\n  uniform token[] xformOpOrder = [\"xformOp:translateX\"]\n}\n");
  SamplePolicy policy{.open = 0, .close = 100, .max_samples = 5};
  MotionSelection few = OfXform("/A", 0, 100).Select(policy, 0);
  EXPECT_EQ(Numbers(few.times), (Times{0, 25, 50, 75, 100}));
  EXPECT_TRUE(few.thinned);
  EXPECT_EQ(few.times[1].SourcePath(), "/A.xformOp:translateX");
  policy.max_samples = 101;
  MotionSelection all = OfXform("/A", 0, 100).Select(policy, 0);
  EXPECT_EQ(all.times.size(), 101u);
  EXPECT_FALSE(all.thinned);
}

TEST_F(MotionTimesTest, VeryManySamplesAreReplacedByEvenTimes) {
  std::string samples;
  for (size_t i = 0; i <= SamplePolicy::kMostSamples; ++i) samples += std::to_string(i) + ": 0, ";
  Load("def Xform \"A\" {\n  double xformOp:translateX.timeSamples = { " + samples +
       "}\n  uniform token[] xformOpOrder = [\"xformOp:translateX\"]\n}\n");
  const double end = SamplePolicy::kMostSamples;
  const SamplePolicy policy{.open = 0, .close = end, .max_samples = 3};
  MotionTimes times = OfXform("/A", 0, end);
  EXPECT_TRUE(times.varies());
  const MotionSelection selection = times.Select(policy, 0);
  EXPECT_EQ(Numbers(selection.times), (Times{0, end / 2, end}));
  EXPECT_TRUE(selection.thinned);
  MotionTimes joined(0, end);
  joined.AddEven(2, Prim(), Token());
  joined.Join(times);
  EXPECT_EQ(Numbers(joined.Select(policy, 0).times), (Times{0, end / 2, end}));
}

TEST_F(MotionTimesTest, SplinesHaveTheirKnotsAndTheEndsOfTheShutter) {
  Load(R"(
def Xform "A" {
  double xformOp:translateX.spline = { 0: 0; post held, 1: 5; post linear, 2: 7 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
}
)");
  EXPECT_EQ(Numbers(OfXform("/A", 0.5, 1.5).times()), (Times{0.5, 1, 1.5}));
}

TEST_F(MotionTimesTest, OnlyWhatMovesPrimsAgainstEachOtherCounts) {
  Load(kChain);
  const auto relative = [&](std::string_view a, std::string_view b) {
    MotionTimes times(-0.25, 0.25);
    EXPECT_TRUE(
        AddRelativeXformMotion(context(), stage_->FindPrim(P(a)), stage_->FindPrim(P(b)), &times)
            .ok());
    return Numbers(times.times());
  };
  EXPECT_EQ(relative("/A/S/B", "/A/S/Still"), (Times{-1, 0.1, 3})) << "without those of /A";
  EXPECT_EQ(relative("/A/S/Still", "/A/S"), (Times{}));
  EXPECT_EQ(relative("/A/S/R", "/A/S"), (Times{-3, 0, 0.2, 10})) << "/A does not move /A/S/R";
  EXPECT_EQ(relative("/A/S/R", "/A/S/R"), (Times{}));
  EXPECT_EQ(relative("/Fixed", "/A"), (Times{-3, 0, 0.2, 10}));
}

TEST_F(MotionTimesTest, TransformsToAnAncestorLeaveOutThoseAbove) {
  Load(kChain);
  MotionTimes times(-0.25, 0.25);
  const Prim prim = stage_->FindPrim(P("/A/S/B"));
  ASSERT_TRUE(AddXformMotion(context(), prim, &times, stage_->FindPrim(P("/A"))).ok());
  EXPECT_EQ(Numbers(times.times()), (Times{-1, 0.1, 3}));
}

TEST_F(MotionTimesTest, CamerasHaveTheSamplesOfTheirLenses) {
  Load(R"(
def Camera "C" {
  float focalLength.timeSamples = { 0: 40, 1: 50 }
  float exposure:iso.timeSamples = { 0.5: 100, 2: 200 }
  double shutter:open.timeSamples = { 0.25: 0, 3: 1 }
}
)");
  MotionTimes times(0.1, 0.9);
  ASSERT_TRUE(
      CameraQuery(context(), stage_->FindPrim(P("/C"))).AddMotionTimes(context(), &times).ok());
  EXPECT_EQ(Numbers(times.times()), (Times{0, 0.5, 1}));
}

TEST_F(MotionTimesTest, PrimvarsHaveTheSamplesOfTheirIndices) {
  Load(R"(
def Mesh "M" {
  float[] primvars:w.timeSamples = { 0: [4, 5], 1: [6, 7] }
  int[] primvars:w:indices.timeSamples = { 0.5: [0], 2: [1] }
}
)");
  MotionTimes times(0.1, 0.9);
  const auto primvar = FindPrimvarWithInheritance(context(), stage_->FindPrim(P("/M")), "w");
  ASSERT_TRUE(primvar.has_value());
  ASSERT_TRUE(primvar->AddSources(context(), &times).ok());
  EXPECT_EQ(Numbers(times.times()), (Times{0, 0.5, 1}));
}

TEST_F(MotionTimesTest, VelocitiesDetermineTheTimesOfPoints) {
  Load(R"(
def Mesh "Sampled" {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 0.5: [(1, 0, 0)], 1: [(5, 0, 0)] }
}
def Mesh "Fast" ( prepend apiSchemas = ["MotionAPI"] ) {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 0.5: [(1, 0, 0)], 1: [(5, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(0, 1, 0)], 0.5: [(0, 1, 0)], 1: [(0, 1, 0)] }
  int motion:nonlinearSampleCount = 5
  def Mesh "Curving" {
    point3f[] points.timeSamples = { 0: [(0, 0, 0)] }
    vector3f[] velocities.timeSamples = { 0: [(0, 1, 0)] }
    vector3f[] accelerations.timeSamples = { 0: [(0, 1, 0)] }
  }
}
)");
  const auto points = [&](std::string_view path) {
    MotionTimes times(0.25, 0.75);
    EXPECT_TRUE(
        AddPointsMotion(context(), stage_->FindPrim(P(path)), TimeCode::At(0.5), &times).ok());
    return times;
  };
  EXPECT_EQ(Numbers(points("/Sampled").times()), (Times{0, 0.5, 1}));
  EXPECT_EQ(Numbers(points("/Fast").times()), (Times{0.25, 0.75}));
  EXPECT_EQ(points("/Fast").times()[0].SourcePath(), "/Fast.velocities");
  EXPECT_EQ(Numbers(points("/Fast/Curving").times()), (Times{0.25, 0.375, 0.5, 0.625, 0.75}));
  EXPECT_EQ(points("/Fast/Curving").times()[0].SourcePath(), "/Fast/Curving.accelerations");
}

TEST_F(MotionTimesTest, CancelledRequestsFail) {
  Load(kChain);
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_FALSE(FindXformMotion(cancelled, std::vector{stage_->FindPrim(P("/A/S/B"))}, 0, 1).ok());
}

}  // namespace
}  // namespace stagedoor
