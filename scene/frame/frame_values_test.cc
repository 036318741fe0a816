#include "scene/frame/frame_values.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/frame/testing/frame_fixture.h"
#include "scene/testing/skeleton_text.h"

namespace stagedoor {
namespace {

class FrameValuesTest : public FrameTest {
 protected:
  FrameAttribute AttributeOf(std::string_view row, std::string_view name) {
    for (FrameAttribute& attribute : FrameAttributesOf(context(), selection_, GeometryOf(row))) {
      if (attribute.name.text() == name) return attribute;
    }
    ADD_FAILURE() << row << " has no " << name;
    return {};
  }
  FrameSample At(std::string_view row, std::string_view name, TimeCode time,
                 std::optional<TimeCode> frame = {}) {
    PoseCache poses(time);
    SkinnedArrays skinned(context());
    auto sample = FrameValueAt(context(), GeometryOf(row), AttributeOf(row, name),
                               frame.value_or(time), poses, skinned);
    EXPECT_TRUE(sample.ok()) << sample.status();
    return sample.ok() ? *std::move(sample) : FrameSample();
  }
  std::string ValueAt(std::string_view row, std::string_view name, double time) {
    return Text(At(row, name, TimeCode::At(time)).value);
  }
  std::string Layout(std::string_view row, std::string_view name) {
    const FrameLayout layout = FrameLayoutOf(context(), AttributeOf(row, name));
    return Concat(layout.type_name.text(), " ", layout.interpolation.text(), " ",
                  layout.element_size);
  }
  std::vector<double> Motion(std::string_view row, std::string_view name, double begin, double end,
                             double frame = 0) {
    MotionTimes times(begin, end);
    EXPECT_TRUE(
        AddFrameMotion(context(), GeometryOf(row), AttributeOf(row, name), frame, &times).ok());
    std::vector<double> found;
    for (const MotionTime& at : times.times()) found.push_back(at.time);
    return found;
  }
};

using Times = std::vector<double>;

TEST_F(FrameValuesTest, PlainValuesAreThoseOfTheAttribute) {
  Plan(R"(
def Sphere "S" {
  double radius.timeSamples = { 0: 1, 2: 3 }
}
)");
  EXPECT_EQ(ValueAt("/S", "radius", 1), "2");
  EXPECT_EQ(Text(At("/S", "radius", TimeCode::Default()).value), "1");
  EXPECT_EQ(Layout("/S", "radius"), "double  0");
  EXPECT_EQ(Motion("/S", "radius", 0.5, 1), (Times{0, 2}));
}

TEST_F(FrameValuesTest, PrimvarsHaveIndices) {
  Plan(R"(
def Mesh "M" {
  float[] primvars:a (
    elementSize = 1
    interpolation = "vertex"
  )
  float[] primvars:a.timeSamples = { 0: [1, 2], 2: [3, 4] }
  int[] primvars:a:indices.timeSamples = { 0: [0, 1, 1], 1: [1, 0, 0] }
  float primvars:single = 3
  int[] primvars:single:indices = [0]
  string primvars:target = "wrong"
  rel primvars:target:idFrom = </M>
  float[] primvars:blocked = [1]
  int[] primvars:blocked:indices.timeSamples = { 0: [0], 1: None }
}
)");
  const FrameSample a = At("/M", "primvars:a", TimeCode::At(1));
  EXPECT_EQ(Text(a.value), "[2, 3]");
  ASSERT_TRUE(a.indices.has_value());
  EXPECT_EQ(Text(Value(*a.indices)), "[1, 0, 0]");
  EXPECT_EQ(Layout("/M", "primvars:a"), "float[] vertex 1");
  EXPECT_EQ(Motion("/M", "primvars:a", 0, 2), (Times{0, 1, 2}));
  EXPECT_TRUE(At("/M", "primvars:single", TimeCode::At(1)).indices.has_value());
  EXPECT_EQ(ValueAt("/M", "primvars:target", 0), "\"/M\"");
  EXPECT_FALSE(At("/M", "primvars:target", TimeCode::At(0)).indices.has_value());
  EXPECT_EQ(At("/M", "primvars:blocked", TimeCode::At(1)).indices->size(), 0u);
}

TEST_F(FrameValuesTest, FlattenedPrimvarsHaveNone) {
  Open(R"(
def Mesh "M" {
  float[] primvars:a = [1, 2, 3, 4] (
    elementSize = 2
    interpolation = "vertex"
  )
  int[] primvars:a:indices = [1, 0, 1]
  float primvars:single = 3
  int[] primvars:single:indices = [0]
  float[] primvars:broken = [1]
  int[] primvars:broken:indices = [7]
  float[] primvars:blocked = [1]
  int[] primvars:blocked:indices.timeSamples = { 0: [0], 1: None }
}
)");
  selection_.flatten_primvars = true;
  Plan();
  const FrameSample a = At("/M", "primvars:a", TimeCode::At(1));
  EXPECT_EQ(Text(a.value), "[3, 4, 1, 2, 3, 4]");
  EXPECT_FALSE(a.indices.has_value());
  EXPECT_EQ(ValueAt("/M", "primvars:single", 0), "3");
  EXPECT_FALSE(At("/M", "primvars:single", TimeCode::At(1)).indices.has_value());
  EXPECT_EQ(ValueAt("/M", "primvars:broken", 0), "-");
  EXPECT_EQ(ValueAt("/M", "primvars:blocked", 0), "[1]");
  EXPECT_EQ(ValueAt("/M", "primvars:blocked", 1), "-");
}

TEST_F(FrameValuesTest, ArraysForElementsHaveAnInterpolation) {
  Plan(R"(
def Mesh "M" {
  point3f[] points = [(0, 0, 0)]
  normal3f[] normals = [(0, 0, 1)]
  int[] faceVertexCounts = [3]
  vector3f[] velocities = [(0, 0, 1)]
}
def Points "P" {
  float[] widths = [1] (
    interpolation = "constant"
  )
}
)");
  EXPECT_EQ(Layout("/M", "points"), "point3f[] vertex 0");
  EXPECT_EQ(Layout("/M", "normals"), "normal3f[] vertex 0");
  EXPECT_EQ(Layout("/M", "velocities"), "vector3f[] vertex 0");
  EXPECT_EQ(Layout("/M", "faceVertexCounts"), "int[]  0");
  EXPECT_EQ(Layout("/P", "widths"), "float[] constant 0");
}

TEST_F(FrameValuesTest, PointsAreAdvancedFromTheSampleOfTheFrame) {
  Plan(R"((
    timeCodesPerSecond = 1
)
def Mesh "M" {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 2: [(9, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(1, 0, 0)], 2: [(1, 0, 0)] }
}
def Mesh "Empty" {
  point3f[] points = []
}
def Mesh "Later" {
  point3f[] points.timeSamples = { 0: None, 2: [(9, 0, 0)] }
}
)");
  EXPECT_EQ(Text(At("/M", "points", TimeCode::At(1), TimeCode::At(1)).value), "[(1, 0, 0)]");
  EXPECT_EQ(Text(At("/M", "points", TimeCode::At(2.5), TimeCode::At(1)).value), "[(2.5, 0, 0)]");
  EXPECT_EQ(Text(At("/M", "points", TimeCode::At(2.5), TimeCode::At(2)).value), "[(9.5, 0, 0)]");
  EXPECT_EQ(Motion("/M", "points", -0.5, 0.5), (Times{-0.5, 0.5}));
  EXPECT_EQ(ValueAt("/Empty", "points", 0), "[]");
  EXPECT_EQ(ValueAt("/Later", "points", 0), "-");
  PoseCache poses(TimeCode::At(1));
  SkinnedArrays skinned(context());
  EXPECT_EQ(FrameValueAt(context(), GeometryOf("/M"), AttributeOf("/M", "points"),
                         TimeCode::Default(), poses, skinned)
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);
}

// ---- Skins

// A mesh whose first point belongs to the joint a, the second to a/b.
constexpr std::string_view kSkinned = R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations.timeSamples = { 0: [(0, 0, 0), (0, 2, 0)], 1: [(1, 0, 0), (0, 2, 5)] }
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 0, 0), (0, 3, 0)]
    normal3f[] normals = [(0, 0, 2), (0, 2, 0)]
    int[] primvars:skel:jointIndices = [0, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
  }
  def Mesh "Broken" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 0, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [7, 7] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
    uniform token primvars:skel:skinningMethod = "odd"
  }
)";

TEST_F(FrameValuesTest, SkinsDeformPointsAndNormals) {
  Plan(Concat(kSkinned, kTwoJoints, "}\n"));
  EXPECT_EQ(ValueAt("/C/M", "points", 0), "[(0, 0, 0), (0, 3, 0)]");
  EXPECT_EQ(ValueAt("/C/M", "points", 1), "[(1, 0, 0), (1, 3, 5)]");
  EXPECT_EQ(ValueAt("/C/M", "normals", 1), "[(0, 0, 1), (0, 1, 0)]");
  EXPECT_EQ(Motion("/C/M", "points", 0, 0.5), (Times{0, 1}));
  EXPECT_EQ(Motion("/C/M", "normals", 0, 0.5), (Times{0, 1}));
  EXPECT_EQ(Varying("/C/M"), "normals points");
  selection_.without_skinning = true;
  Plan();
  EXPECT_EQ(ValueAt("/C/M", "points", 1), "[(0, 0, 0), (0, 3, 0)]");
  EXPECT_EQ(ValueAt("/C/M", "normals", 1), "[(0, 0, 2), (0, 2, 0)]");
}

TEST_F(FrameValuesTest, WhatCannotBeSkinnedStaysAsItIs) {
  Plan(Concat(kSkinned, kTwoJoints, "}\n"));
  EXPECT_EQ(ValueAt("/C/Broken", "points", 1), "[(0, 0, 0), (0, 3, 0)]");
}

TEST_F(FrameValuesTest, AttributesShareADeformation) {
  Plan(Concat(kSkinned, kTwoJoints, "}\n"));
  const SkinningTarget& skin = *GeometryOf("/C/M").skin;
  PoseCache now(TimeCode::At(1)), later(TimeCode::At(2));
  SkinnedArrays skinned(context());
  const size_t before = context().reserved_bytes();
  const auto at = [&](const SkinningTarget& of, PoseCache& poses) {
    const auto result = skinned.At(of, poses);
    EXPECT_TRUE(result.ok());
    return (*result)->points->data();
  };
  const Vec3f* points = at(skin, now);
  EXPECT_NE(at(skin, later), points);
  EXPECT_EQ(at(skin, now), points) << "kept for each time";
  EXPECT_EQ(context().reserved_bytes(), before + 2 * 4 * sizeof(Vec3f));
  const SkinningTarget other = skin;
  at(other, now);
  EXPECT_EQ(context().reserved_bytes(), before + 4 * sizeof(Vec3f)) << "of one skin at a time";
}

}  // namespace
}  // namespace stagedoor
