// The attributes of a frame's geometry, and which of them vary.
#include "scene/frame/frame_attributes.h"

#include <string>
#include <string_view>

#include "scene/frame/testing/frame_fixture.h"

namespace stagedoor {
namespace {

class FrameAttributesTest : public FrameTest {
 protected:
  // The attributes that vary of the mesh M with these properties.
  std::string VaryingOf(std::string_view properties) {
    Plan(Concat("def Mesh \"M\" {\n", properties, "\n}\n"));
    return Varying("/M");
  }
  FrameAttribute AttributeOf(std::string_view row, std::string_view name) {
    for (FrameAttribute& attribute : FrameAttributesOf(context(), selection_, GeometryOf(row))) {
      if (attribute.name.text() == name) return attribute;
    }
    ADD_FAILURE() << row << " has no " << name;
    return {};
  }
};

TEST_F(FrameAttributesTest, ThoseOfSchemasThatHaveAValueThenPrimvars) {
  Plan(R"(
def Xform "A" {
  float primvars:above = 1
  float[] primvars:varying = [1] (
    interpolation = "varying"
  )
  def Cube "C" (
    prepend apiSchemas = ["CollectionAPI:x"]
  ) {
    double size = 3
    float3[] extent = None
    token visibility = "invisible"
    uniform token purpose = "render"
    double xformOp:translateX = 3
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    custom double mine = 3
    float primvars:own = 2
    float primvars:empty
    uniform token subsetFamily:x:familyType = "partition"
  }
}
)");
  EXPECT_EQ(Attributes("/A/C"), "doubleSided extent orientation size primvars:above primvars:own");
}

TEST_F(FrameAttributesTest, BlockedAttributesHaveTheirFallback) {
  Plan("def Cube \"C\" {\ndouble size = None\n}\n");
  EXPECT_EQ(Text(AttributeOf("/C", "size").query.Get(context(), TimeCode::At(0))), "2");
}

TEST_F(FrameAttributesTest, FallbacksAreThereAtAllTimes) {
  Plan("def Mesh \"M\" {}\n");
  const FrameAttribute scheme = AttributeOf("/M", "subdivisionScheme");
  EXPECT_EQ(Text(scheme.query.Get(context(), TimeCode::At(5))), "\"catmullClark\"");
  EXPECT_EQ(Text(scheme.query.Get(context(), TimeCode::Default())), "\"catmullClark\"");
  EXPECT_EQ(scheme.query.type_name(), Token("token"));
  EXPECT_FALSE(scheme.varies);
}

TEST_F(FrameAttributesTest, PrimvarsMayBeSelectedAndFlattened) {
  Open(R"(
def Points "P" {
  float[] primvars:a = [1]
  float[] primvars:b = [1]
}
)");
  selection_.primvars = {"b", "c"};
  selection_.flatten_primvars = true;
  Plan();
  EXPECT_EQ(Attributes("/P"), "doubleSided orientation primvars:b");
  EXPECT_TRUE(AttributeOf("/P", "primvars:b").flattened);
  EXPECT_FALSE(AttributeOf("/P", "orientation").flattened);
}

TEST_F(FrameAttributesTest, InfluencesOfJointsAreThereForPointsAtRest) {
  Open(R"(
def Xform "X" {
  token primvars:skel:skinningMethod = "classicLinear"
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    uniform token[] skel:joints = ["a"]
    int[] primvars:skel:jointIndices = [0]
    float[] primvars:skeleton = [1]
  }
}
)");
  Plan();
  EXPECT_EQ(Attributes("/X/M").find("skel:"), std::string::npos) << Attributes("/X/M");
  EXPECT_NE(Attributes("/X/M").find("primvars:skeleton"), std::string::npos);
  selection_.primvars = {"skel:jointIndices"};
  Plan();
  EXPECT_NE(Attributes("/X/M").find("primvars:skel:jointIndices"), std::string::npos)
      << "named by the selection";
  selection_.primvars = {};
  selection_.without_skinning = true;
  Plan();
  for (const std::string_view name :
       {"skel:joints", "primvars:skel:jointIndices", "primvars:skel:skinningMethod"}) {
    EXPECT_NE(Attributes("/X/M").find(name), std::string::npos) << name;
  }
}

TEST_F(FrameAttributesTest, InstancersHaveTheirPrimvars) {
  Plan(R"(
def PointInstancer "I" {
  point3f[] positions = [(0, 0, 0)]
  int[] protoIndices = [0]
  float[] primvars:a = [1]
}
)");
  EXPECT_EQ(Attributes("/I"), "primvars:a");
}

TEST_F(FrameAttributesTest, StandInsHaveTheAttributesOfModels) {
  Plan(R"(
def Xform "M" (
  kind = "component"
  prepend apiSchemas = ["GeomModelAPI"]
) {
  uniform token model:drawMode = "cards"
  uniform asset model:cardTextureXPos = @x.png@
  float3[] extentsHint.timeSamples = { 0: [(0, 0, 0), (1, 1, 1)], 1: [(0, 0, 0), (2, 1, 1)] }
  float primvars:own = 2
}
)");
  EXPECT_EQ(Attributes("/M"),
            "extentsHint model:applyDrawMode model:cardGeometry model:cardTextureXPos "
            "model:cardVisibility model:drawMode model:drawModeColor");
  EXPECT_EQ(Varying("/M"), "extentsHint");
}

// ---- What varies

TEST_F(FrameAttributesTest, AttributesWithSeveralSamplesVary) {
  EXPECT_EQ(VaryingOf("point3f[] points = [(0, 0, 0)]"), "");
  EXPECT_EQ(VaryingOf("point3f[] points.timeSamples = { 0: [(0, 0, 0)] }"), "");
  EXPECT_EQ(VaryingOf("point3f[] points.timeSamples = { 0: [(0, 0, 0)], 1: [(1, 0, 0)] }"),
            "points");
  EXPECT_EQ(VaryingOf("double mine.timeSamples = { 0: 0, 1: 1 }"), "") << "not of the schema";
  EXPECT_EQ(VaryingOf("token visibility.timeSamples = { 0: \"inherited\", 1: \"invisible\" }"), "");
  EXPECT_TRUE(plan_->varying_geometry.empty());
}

TEST_F(FrameAttributesTest, PrimvarsVaryWithTheirIndices) {
  EXPECT_EQ(VaryingOf("float[] primvars:a = [1]\nint[] primvars:a:indices = [0]"), "");
  EXPECT_EQ(VaryingOf("float[] primvars:a = [1, 2]\n"
                      "int[] primvars:a:indices.timeSamples = { 0: [0], 1: [1] }"),
            "primvars:a");
  EXPECT_EQ(VaryingOf("float[] primvars:a.timeSamples = { 0: [0], 1: [1] }"), "primvars:a");
}

TEST_F(FrameAttributesTest, InheritedPrimvarsVaryToo) {
  Plan(R"(
def Xform "A" {
  float primvars:above.timeSamples = { 0: 0, 1: 1 }
  def Mesh "M" {}
  def Mesh "Hides" {
    float primvars:above = 3
  }
}
)");
  EXPECT_EQ(Varying("/A/M"), "primvars:above");
  EXPECT_EQ(Varying("/A/Hides"), "");
}

TEST_F(FrameAttributesTest, PointsAreAdvancedByVelocities) {
  const std::string_view once = R"(
point3f[] points.timeSamples = { 0: [(0, 0, 0)] }
vector3f[] velocities.timeSamples = { 0: [(1, 0, 0)] }
)";
  EXPECT_EQ(VaryingOf(once), "points") << "they move away from their only sample";
  EXPECT_EQ(VaryingOf("point3f[] points = [(0, 0, 0)]\nvector3f[] velocities = [(1, 0, 0)]"), "");
}

TEST_F(FrameAttributesTest, ClipsAndSplinesVary) {
  scene_.Write("clip.usda", "def \"M\" {\nfloat[] widths.timeSamples = { 0: [1] }\n}\n");
  scene_.Write("manifest.usda", "def \"M\" {\nfloat[] widths\n}\n");
  Plan(R"(
def Points "M" (
  clips = {
    dictionary default = {
      asset[] assetPaths = [@./clip.usda@]
      asset manifestAssetPath = @./manifest.usda@
      string primPath = "/M"
      double2[] active = [(0, 0)]
    }
  }
) {}
def Sphere "S" {
  double radius.spline = { 0: 1; post linear, 1: 2 }
}
)");
  EXPECT_EQ(Varying("/M"), "widths") << "no opinion in the stage's own layers";
  EXPECT_EQ(Varying("/S"), "radius");
}

TEST_F(FrameAttributesTest, FieldsAndInstancesVary) {
  Plan(R"(
def Volume "Still" {
  rel field:density = </Fixed>
}
def Volume "V" {
  rel field:density = </Density>
}
def OpenVDBAsset "Fixed" {
  asset filePath = @./a.vdb@
}
def OpenVDBAsset "Density" {
  asset filePath.timeSamples = { 0: @./a.vdb@, 1: @./b.vdb@ }
}
def PointInstancer "Same" {
  point3f[] positions = [(0, 0, 0)]
}
)");
  EXPECT_TRUE(GeometryOf("/V").fields_vary);
  EXPECT_TRUE(GeometryOf("/V").is_volume);
  EXPECT_FALSE(GeometryOf("/Still").fields_vary);
  EXPECT_FALSE(GeometryOf("/Same").instances_vary);
  EXPECT_EQ(plan_->varying_geometry, (std::vector<uint32_t>{1}));
  for (const std::string_view varying : {
           "int[] protoIndices.timeSamples = { 0: [0], 1: [1] }",
           "int64[] ids.timeSamples = { 0: [0], 1: [1] }",
           "int64[] invisibleIds.timeSamples = { 0: [0], 1: [1] }",
           "point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 1: [(1, 0, 0)] }",
           "quath[] orientations.timeSamples = { 0: [(1, 0, 0, 0)], 1: [(0, 1, 0, 0)] }",
           "quatf[] orientationsf.timeSamples = { 0: [(1, 0, 0, 0)], 1: [(0, 1, 0, 0)] }",
           "float3[] scales.timeSamples = { 0: [(1, 0, 0)], 1: [(1, 1, 1)] }",
           "point3f[] positions.timeSamples = { 0: [(0, 0, 0)] }\n"
           "vector3f[] velocities.timeSamples = { 0: [(1, 0, 0)] }",
           "quath[] orientations.timeSamples = { 0: [(1, 0, 0, 0)] }\n"
           "vector3f[] angularVelocities.timeSamples = { 0: [(1, 0, 0)] }",
       }) {
    Plan(Concat("def PointInstancer \"I\" {\n", varying, "\n}\n"));
    EXPECT_TRUE(GeometryOf("/I").instances_vary) << varying;
  }
}

}  // namespace
}  // namespace stagedoor
