#include "scene/frame/frame_changes.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/frame/frame_transforms.h"
#include "scene/frame/frame_values.h"
#include "scene/frame/testing/frame_fixture.h"
#include "scene/testing/skeleton_text.h"

namespace stagedoor {
namespace {

FrameTimes At(double frame, std::optional<SamplePolicy> policy = {}) {
  return {.frame = TimeCode::At(frame), .policy = policy};
}

// A shutter of half a time code around the frame.
constexpr SamplePolicy kShutter = {.open = -0.25, .close = 0.25};

class FrameChangesTest : public FrameTest {
 protected:
  const FrameAttribute& AttributeOf(std::string_view row, std::string_view name) {
    attributes_ = FrameAttributesOf(context(), selection_, GeometryOf(row));
    for (const FrameAttribute& attribute : attributes_) {
      if (attribute.name.text() == name) return attribute;
    }
    ADD_FAILURE() << row << " has no " << name;
    return attributes_.front();
  }
  bool Differs(std::string_view row, std::string_view name, const FrameTimes& from,
               const FrameTimes& to) {
    const FrameAttribute& attribute = AttributeOf(row, name);
    const bool differs = MayDiffer(context(), GeometryOf(row), attribute, from, to);
    EXPECT_EQ(MayDiffer(context(), GeometryOf(row), attribute, to, from), differs)
        << "the other way around";
    if (!differs) ExpectSameValues(row, name, from, to);
    return differs;
  }
  // A part that is said to be the same must have the same values.
  void ExpectSameValues(std::string_view row, std::string_view name, const FrameTimes& from,
                        const FrameTimes& to) {
    EXPECT_EQ(ValuesOf(row, name, from), ValuesOf(row, name, to))
        << row << "." << name << " at " << from.frame.ToString() << " and " << to.frame.ToString();
  }
  std::string ValuesOf(std::string_view row, std::string_view name, const FrameTimes& times) {
    const FrameAttribute attribute = AttributeOf(row, name);
    std::vector<double> at = {times.frame.value()};
    if (times.policy) {
      const double frame = times.frame.value();
      MotionTimes motion(times.policy->Begin(frame), times.policy->End(frame));
      EXPECT_TRUE(AddFrameMotion(context(), GeometryOf(row), attribute, frame, &motion).ok());
      at.clear();
      for (const MotionTime& time : motion.Select(*times.policy, frame).times) {
        at.push_back(time.time);
      }
    }
    std::string text;
    for (const double time : at) {
      PoseCache poses(TimeCode::At(time));
      SkinnedArrays skinned(context());
      const auto sample =
          FrameValueAt(context(), GeometryOf(row), attribute, times.frame, poses, skinned);
      EXPECT_TRUE(sample.ok()) << sample.status();
      if (at.size() > 1) text += Concat(time, ": ");
      text += Text(sample->value) + " ";
      if (sample->indices) text += Text(Value(*sample->indices)) + " ";
    }
    return text;
  }

 private:
  std::vector<FrameAttribute> attributes_;
};

constexpr std::string_view kSphere = R"(
def Sphere "S" {
  double radius.timeSamples = { 0: 1, 10: 3 }
  uniform token orientation.timeSamples = { 0: "leftHanded", 10: "rightHanded", 20: "leftHanded" }
}
)";

TEST_F(FrameChangesTest, ValuesBetweenSamplesDiffer) {
  Plan(kSphere);
  EXPECT_TRUE(Differs("/S", "radius", At(2), At(3)));
  EXPECT_FALSE(Differs("/S", "radius", At(2), At(2)));
  EXPECT_FALSE(Differs("/S", "radius", At(10), At(12))) << "after the last one";
  EXPECT_FALSE(Differs("/S", "radius", At(-5), At(0))) << "before the first one";
  EXPECT_TRUE(Differs("/S", "radius", At(-5), At(12)));
}

TEST_F(FrameChangesTest, HeldValuesAreTheSameBetweenTheSameSamples) {
  Plan(kSphere);
  EXPECT_FALSE(Differs("/S", "orientation", At(0), At(9)));
  EXPECT_TRUE(Differs("/S", "orientation", At(0), At(10)));
  EXPECT_TRUE(Differs("/S", "orientation", At(9), At(10.5)));
  EXPECT_FALSE(Differs("/S", "orientation", At(-4), At(9)));
}

TEST_F(FrameChangesTest, AStageMayHoldAllValues) {
  Open(kSphere, {.interpolation = Interpolation::kHeld});
  Plan();
  EXPECT_FALSE(Differs("/S", "radius", At(2), At(3)));
  EXPECT_TRUE(Differs("/S", "radius", At(2), At(10)));
}

TEST_F(FrameChangesTest, SeveralSamplesDifferUnlessTheirTimesAreEqual) {
  Plan(kSphere);
  EXPECT_FALSE(Differs("/S", "radius", At(2, kShutter), At(3, kShutter)))
      << "the same two samples around the shutters";
  SamplePolicy at_ends = kShutter;
  at_ends.at_ends = true;
  EXPECT_TRUE(Differs("/S", "radius", At(2, at_ends), At(3, at_ends)));
  EXPECT_FALSE(Differs("/S", "radius", At(2, at_ends), At(2, at_ends)));
  EXPECT_FALSE(Differs("/S", "radius", At(15, at_ends), At(16, at_ends))) << "one sample each";
  EXPECT_TRUE(Differs("/S", "radius", At(9.8, kShutter), At(15, kShutter))) << "two and one";
  EXPECT_TRUE(Differs("/S", "radius", At(-1, kShutter), At(0.1, kShutter)))
      << "one and two, of which the first is the same";
  EXPECT_TRUE(Differs("/S", "orientation", At(5, at_ends), At(6, at_ends)));
}

TEST_F(FrameChangesTest, DefaultTimeIsLikeNoOtherTime) {
  Plan(kSphere);
  const FrameTimes at_default{.frame = TimeCode::Default(), .policy = {}};
  const FrameAttribute& radius = AttributeOf("/S", "radius");
  EXPECT_TRUE(MayDiffer(context(), GeometryOf("/S"), radius, At(2), at_default));
  EXPECT_TRUE(MayDiffer(context(), GeometryOf("/S"), radius, at_default, At(2)));
  EXPECT_FALSE(MayDiffer(context(), GeometryOf("/S"), radius, at_default, at_default));
  const FrameTimes before{.frame = TimeCode::PreTime(2), .policy = {}};
  EXPECT_TRUE(MayDiffer(context(), GeometryOf("/S"), radius, before, At(2)));
  EXPECT_FALSE(MayDiffer(context(), GeometryOf("/S"), radius, before, before));
}

TEST_F(FrameChangesTest, PrimvarsDifferWithTheirIndices) {
  Plan(R"(
def Mesh "M" {
  float[] primvars:a.timeSamples = { 0: [1, 2], 5: [3, 4] }
  int[] primvars:a:indices.timeSamples = { 0: [0, 1, 1], 10: [1, 0, 0] }
}
)");
  EXPECT_TRUE(Differs("/M", "primvars:a", At(1), At(2)));
  EXPECT_FALSE(Differs("/M", "primvars:a", At(6), At(8)));
  EXPECT_TRUE(Differs("/M", "primvars:a", At(6), At(11))) << "other indices";
}

TEST_F(FrameChangesTest, PointsWithVelocitiesAlwaysDiffer) {
  Plan(R"(
def Points "Still" {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 10: [(1, 0, 0)] }
  vector3f[] velocities = [(1, 0, 0)]
}
def Points "Moving" {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(1, 0, 0)] }
}
)");
  EXPECT_FALSE(Differs("/Still", "points", At(11), At(12))) << "velocities without samples";
  EXPECT_TRUE(Differs("/Moving", "points", At(11), At(12)));
  EXPECT_TRUE(Differs("/Moving", "points", At(11, kShutter), At(12, kShutter)));
  EXPECT_FALSE(Differs("/Moving", "points", At(11), At(11)));
}

TEST_F(FrameChangesTest, PointsReadTheirSampleAtTheFrame) {
  // Where the numbers of points differ, those of the frame's own sample count.
  Plan(R"(
def Points "P" {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 10: [(1, 0, 0), (2, 0, 0)] }
}
)");
  // The shutter does not contain the frame.
  const SamplePolicy later{.open = 8, .close = 9};
  EXPECT_TRUE(Differs("/P", "points", At(3, later), At(11, later)));
  EXPECT_FALSE(Differs("/P", "points", At(11, later), At(12, later)));
}

TEST_F(FrameChangesTest, ClipsHoldTheirSamples) {
  scene_.Write("clip.usda", R"(
def "M" {
  float[] widths.timeSamples = { 0: [1], 4: [2] }
  int[] faceVertexCounts.timeSamples = { 0: [3], 4: [4] }
}
)");
  scene_.Write("manifest.usda", "def \"M\" {\nfloat[] widths\nint[] faceVertexCounts\n}\n");
  Plan(R"(
def Mesh "M" (
  clips = {
    dictionary default = {
      asset[] assetPaths = [@./clip.usda@]
      asset manifestAssetPath = @./manifest.usda@
      string primPath = "/M"
      double2[] active = [(0, 0)]
    }
  }
) {}
)");
  EXPECT_TRUE(Differs("/M", "faceVertexCounts", At(3), At(5)));
  EXPECT_FALSE(Differs("/M", "faceVertexCounts", At(1), At(3)));
  EXPECT_FALSE(Differs("/M", "faceVertexCounts", At(5), At(9)));
}

TEST_F(FrameChangesTest, SkinsDifferWithAllThatTheyRead) {
  const std::string text = Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = [(0, 0, 0), (0, 2, 0)]
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
  def Xform "X" {
    double xformOp:translateX = 1
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    def Mesh "M" (
      prepend apiSchemas = ["SkelBindingAPI"]
    ) {
      point3f[] points = [(0, 0, 0)]
      matrix4d primvars:skel:geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
      int[] primvars:skel:jointIndices (
        elementSize = 1
        interpolation = "vertex"
      )
      int[] primvars:skel:jointIndices = [0]
      float[] primvars:skel:jointWeights (
        elementSize = 1
        interpolation = "vertex"
      )
      float[] primvars:skel:jointWeights = [1]
    }
  }
)",
                                  kTwoJoints, "}\n");
  Plan(text);
  EXPECT_FALSE(Differs("/C/X/M", "points", At(1), At(2)));
  // Samples until 10.
  const struct {
    std::string_view from, to;
  } cases[] = {
      {"translations = [(0, 0, 0), (0, 2, 0)]",
       "translations.timeSamples = { 0: [(0, 0, 0), (0, 2, 0)], 10: [(1, 0, 0), (0, 2, 0)] }"},
      {"translateX = 1", "translateX.timeSamples = { 0: 1, 10: 2 }"},
      {"points = [(0, 0, 0)]", "points.timeSamples = { 0: [(0, 0, 0)], 10: [(1, 0, 0)] }"},
      {"jointIndices = [0]", "jointIndices.timeSamples = { 0: [0], 5: [1] }"},
      {"jointWeights = [1]", "jointWeights.timeSamples = { 0: [1], 10: [0.5] }"},
      {"geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))",
       "geomBindTransform.timeSamples = {"
       " 0: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),"
       " 10: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 0, 0, 1)) }"},
      // The SkelRoot, which moves prim and skeleton alike: by rounding only.
      {"rel skel:skeleton = </C/Skel>",
       "rel skel:skeleton = </C/Skel>\n"
       "double xformOp:translateX.timeSamples = { 0: 1, 10: 2 }\n"
       "uniform token[] xformOpOrder = [\"xformOp:translateX\"]"},
  };
  for (const auto& c : cases) {
    std::string changed = text;
    const size_t at = changed.rfind(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    changed.replace(at, c.from.size(), c.to);
    Plan(changed);
    EXPECT_EQ(Varying("/C/X/M").substr(0, 6), "points") << c.to;
    EXPECT_TRUE(Differs("/C/X/M", "points", At(1), At(6))) << c.to;
    EXPECT_FALSE(Differs("/C/X/M", "points", At(10), At(12))) << c.to;
  }
}

TEST_F(FrameChangesTest, InstancesDifferWithAllTheirArrays) {
  const std::string text = R"(
def PointInstancer "I" {
  rel prototypes = [</P>]
  int[] protoIndices = [0]
  point3f[] positions = [(0, 0, 0)]
  quath[] orientations = [(1, 0, 0, 0)]
  float3[] scales = [(1, 1, 1)]
  int64[] ids = [7]
  int64[] invisibleIds = [8]
  vector3f[] velocities = [(0, 0, 1)]
}
def Mesh "P" {
  double xformOp:translateX = 1
  uniform token[] xformOpOrder = ["xformOp:translateX"]
}
)";
  Plan(text);
  EXPECT_FALSE(InstancesMayDiffer(context(), GeometryOf("/I"), At(1), At(6)));
  const struct {
    std::string_view from, to;
  } cases[] = {
      {"protoIndices = [0]", "protoIndices.timeSamples = { 0: [0], 5: [0, 0] }"},
      {"positions = [(0, 0, 0)]", "positions.timeSamples = { 0: [(0, 0, 0)], 5: [(1, 0, 0)] }"},
      {"orientations = [(1, 0, 0, 0)]",
       "orientations.timeSamples = { 0: [(1, 0, 0, 0)], 5: [(0, 1, 0, 0)] }"},
      {"scales = [(1, 1, 1)]", "scales.timeSamples = { 0: [(1, 1, 1)], 5: [(2, 1, 1)] }"},
      {"ids = [7]", "ids.timeSamples = { 0: [7], 5: [8] }"},
      {"invisibleIds = [8]", "invisibleIds.timeSamples = { 0: [7], 5: [8] }"},
      {"translateX = 1", "translateX.timeSamples = { 0: 7, 5: 8 }"},
  };
  for (const auto& c : cases) {
    std::string changed = text;
    changed.replace(changed.find(c.from), c.from.size(), c.to);
    Plan(changed);
    EXPECT_TRUE(InstancesMayDiffer(context(), GeometryOf("/I"), At(1), At(6))) << c.to;
    EXPECT_FALSE(InstancesMayDiffer(context(), GeometryOf("/I"), At(5), At(6))) << c.to;
  }
  std::string moving = text;
  moving.replace(moving.find("positions = "), 24, "positions.timeSamples = { 0: [(0, 0, 0)] }\n");
  moving.replace(moving.find("velocities = "), 24, "velocities.timeSamples = { 0: [(1, 0, 0)] }\n");
  Plan(moving);
  EXPECT_TRUE(InstancesMayDiffer(context(), GeometryOf("/I"), At(5), At(6)));
  EXPECT_FALSE(InstancesMayDiffer(context(), GeometryOf("/I"), At(5), At(5)));
}

TEST_F(FrameChangesTest, FieldsSubsetsMaterialsAndLights) {
  Plan(R"(
def Volume "V" {
  rel field:density = </Density>
}
def OpenVDBAsset "Density" {
  asset filePath.timeSamples = { 0: @./a.vdb@, 5: @./b.vdb@ }
}
def Mesh "M" {
  rel material:binding = </Look>
  def GeomSubset "S" {
    int[] indices.timeSamples = { 0: [1], 5: [2] }
  }
}
def Material "Look" {
  token outputs:surface.connect = </Look/Surface.outputs:surface>
  def Shader "Surface" {
    float inputs:roughness.timeSamples = { 0: 0, 5: 1 }
    token outputs:surface
  }
}
def SphereLight "L" {
  float inputs:intensity.timeSamples = { 0: 0, 5: 1 }
}
)");
  const auto time = [](double frame) { return TimeCode::At(frame); };
  const FrameGeometry& volume = GeometryOf("/V");
  EXPECT_TRUE(FieldsMayDiffer(context(), volume, time(1), time(5)));
  EXPECT_FALSE(FieldsMayDiffer(context(), volume, time(1), time(4))) << "held";
  EXPECT_FALSE(FieldsMayDiffer(context(), volume, time(5), time(6)));
  ASSERT_EQ(plan_->subsets.size(), 1u);
  EXPECT_TRUE(MayDiffer(context(), plan_->subsets[0], time(1), time(5)));
  EXPECT_FALSE(MayDiffer(context(), plan_->subsets[0], time(1), time(4)));
  EXPECT_TRUE(MayDiffer(context(), plan_->subsets[0], time(1), TimeCode::Default()));
  ASSERT_EQ(plan_->materials.size(), 1u);
  EXPECT_TRUE(MayDiffer(context(), plan_->materials[0], {}, time(1), time(4)));
  EXPECT_FALSE(MayDiffer(context(), plan_->materials[0], {}, time(5), time(6)));
  const FrameAttribute& intensity = plan_->lights[0].varying[0];
  EXPECT_TRUE(MayDiffer(context(), intensity, At(1), At(4)));
  EXPECT_FALSE(MayDiffer(context(), intensity, At(5), At(6)));
}

TEST_F(FrameChangesTest, AnythingMayDifferOnceTheRequestIsOver) {
  Plan(kSphere);
  RequestContext over;
  over.Cancel();
  EXPECT_TRUE(MayDiffer(over, GeometryOf("/S"), AttributeOf("/S", "orientation"), At(1), At(2)));
}

}  // namespace
}  // namespace stagedoor
