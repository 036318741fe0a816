// The objects of a frame besides its geometry: materials, lights, instances, cameras, settings and
// the members of passes.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "server/testing/frame_scene_test.h"

namespace stagedoor::server {
namespace {

using FrameObjectsTest = FrameSceneTest;

TEST_F(FrameObjectsTest, MaterialsComeOnceAndBeforeWhatNeedsThem) {
  Load(R"(def Xform "X" (
  prepend apiSchemas = ["MaterialBindingAPI"]
) {
  rel material:binding = </Paint>
  def Cube "A" {
  }
  def Mesh "B" {
    int[] faceVertexCounts = [3, 3]
    def GeomSubset "S" (
      prepend apiSchemas = ["MaterialBindingAPI"]
    ) {
      uniform token elementType = "face"
      uniform token familyName = "materialBind"
      int[] indices.timeSamples = { 1: [0], 2: [1], 3: [1] }
      rel material:binding = </Glow>
    }
  }
}
def Material "Paint" {
  token outputs:surface.connect = </Paint/S.outputs:out>
  def Shader "S" {
    uniform token info:id = "UsdPreviewSurface"
    float inputs:roughness = 0.5
    token outputs:out
  }
}
def Material "Glow" {
  token outputs:surface.connect = </Glow/S.outputs:out>
  def Shader "S" {
    uniform token info:id = "UsdPreviewSurface"
    float inputs:roughness.timeSamples = { 1: 0, 2: 1, 3: 1 }
    token outputs:out
  }
}
def Material "Unused" {
}
)");
  Next(1);
  EXPECT_EQ(materials_.size(), 2u);
  EXPECT_EQ(names_[rows_["/X/A"].materials(0)], "/Paint");
  EXPECT_EQ(names_[subsets_["/X/B/S"].material()], "/Glow");
  EXPECT_EQ(names_[subsets_["/X/B/S"].prim()], "/X/B");
  EXPECT_EQ(subsets_["/X/B/S"].element_type(), "face");
  EXPECT_EQ(subsets_["/X/B/S"].family_name(), "materialBind");
  EXPECT_EQ(Unpack<int>(subsets_["/X/B/S"].indices()), std::vector<int>{0});
  EXPECT_EQ(materials_["/Paint"].nodes(0).id(), "UsdPreviewSurface");
  EXPECT_EQ(Next(2), (Strings{"material /Glow", "subset /X/B/S"}));
  EXPECT_EQ(Unpack<int>(subsets_["/X/B/S"].indices()), std::vector<int>{1});
  EXPECT_EQ(Next(3), Strings());
}

TEST_F(FrameObjectsTest, LightsHaveValuesPlacesAndSets) {
  Load(R"(def SphereLight "Key" {
  float inputs:intensity.timeSamples = { 1: 5, 2: 6, 3: 6 }
  double xformOp:translateX.timeSamples = { 2: 0, 3: 1 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  token visibility.timeSamples = { 1: "inherited", 4: "invisible" }
  rel light:filters = </Block>
  rel collection:lightLink:includes = </A>
  uniform bool collection:lightLink:includeRoot = false
}
def LightFilter "Block" {
}
def Cube "A" {
}
def Cube "B" {
}
)");
  Next(1);
  const v1::FrameLight& key = lights_["/Key"];
  EXPECT_EQ(key.type_name(), "SphereLight");
  EXPECT_EQ(key.shader_id(), "SphereLight");
  EXPECT_FALSE(key.is_filter());
  ASSERT_EQ(key.filters_size(), 1);
  EXPECT_EQ(names_[key.filters(0)], "/Block");
  EXPECT_TRUE(lights_["/Block"].is_filter());
  EXPECT_TRUE(visible_.at("/Key"));
  EXPECT_NE(rows_["/A"].light_sets(0), rows_["/B"].light_sets(0));
  EXPECT_EQ(Next(2), Strings{"light /Key"});
  EXPECT_EQ(Next(3), Strings{"transform /Key"});
  EXPECT_EQ(TranslationOf("/Key"), (Doubles{1, 0, 0}));
  EXPECT_EQ(Next(4), Strings{"visibility /Key"});
}

TEST_F(FrameObjectsTest, InstancersHavePrototypesAndInstances) {
  Load(R"(def PointInstancer "I" {
  int[] protoIndices = [0, 1, 0]
  int64[] ids = [5, 6, 7]
  int64[] invisibleIds.timeSamples = { 1: [6], 3: [5] }
  point3f[] positions = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
  rel prototypes = [</I/A>, </I/B>]
  def Sphere "A" {
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
  def Xform "B" {
    def Cube "Part" {
      double3 xformOp:translate = (0, 4, 0)
      uniform token[] xformOpOrder = ["xformOp:translate"]
    }
  }
}
)");
  Next(1);
  const v1::FrameInstances& instances = instances_["/I"];
  ASSERT_EQ(instances.prototypes_size(), 2);
  EXPECT_EQ(instances.prototype_paths(1), "/I/B");
  EXPECT_EQ(instances.prototypes(0), rows_["/I/A"].prototypes(0));
  EXPECT_EQ(instances.prototypes(1), rows_["/I/B/Part"].prototypes(0));
  EXPECT_EQ(rows_["/I"].prototypes(0), 0u);
  EXPECT_EQ(Unpack<uint32_t>(instances.prototype_indices()), (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(Unpack<uint32_t>(instances.instance_indices()), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(Unpack<int64_t>(instances.ids()), (std::vector<int64_t>{5, 7}));
  ASSERT_EQ(instances.transforms_size(), 1);
  EXPECT_EQ(instances.times_size(), 0);
  EXPECT_EQ(Unpack<double>(instances.transforms(0))[14], 1) << "the prototype's own transform";
  EXPECT_EQ(TranslationOf("/I/A"), (Doubles{0, 0, 0})) << "relative to the prototype";
  EXPECT_EQ(TranslationOf("/I/B/Part"), (Doubles{0, 4, 0}));
  EXPECT_EQ(Next(2), Strings());
  EXPECT_EQ(Next(3), Strings{"instances /I"});
  EXPECT_EQ(Unpack<int64_t>(instances_["/I"].ids()), (std::vector<int64_t>{6, 7}));
}

TEST_F(FrameObjectsTest, NativeInstancesShareTheirGeometry) {
  Write("tree.usda", R"((
  defaultPrim = "Tree"
)
def Xform "Tree" {
  def Mesh "Leaf" {
    point3f[] points.timeSamples = { 1: [(0, 0, 0)], 2: [(1, 0, 0)] }
  }
}
)");
  Load(R"(def "One" (
  instanceable = true
  references = @./tree.usda@
) {
}
def "Two" (
  instanceable = true
  references = @./tree.usda@
) {
}
)");
  Next(1);
  EXPECT_EQ(rows_["/One/Leaf"].geometry(0), rows_["/Two/Leaf"].geometry(0));
  EXPECT_NE(rows_["/One/Leaf"].ids(0), rows_["/Two/Leaf"].ids(0));
  EXPECT_TRUE(WasSent("geometry /One/Leaf"));
  EXPECT_FALSE(WasSent("geometry /Two/Leaf"));
  EXPECT_EQ(Next(2), Strings{"value /One/Leaf.points"});
}

TEST_F(FrameObjectsTest, CameraAndSettingsAreInTheHeader) {
  Load(R"((
  renderSettingsPrimPath = "/Settings"
)
def RenderSettings "Settings" {
  uniform token[] includedPurposes = ["proxy"]
  rel products = </Settings/Image>
  def RenderProduct "Image" {
    rel camera = </Eye>
  }
}
def Camera "Eye" {
  float focalLength.timeSamples = { 1: 35, 2: 50, 3: 50 }
  double xformOp:translateX.timeSamples = { 3: 0, 4: 1 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
}
def Camera "Other" {
}
def Cube "Drawn" {
  uniform token purpose = "proxy"
}
def Cube "NotDrawn" {
}
)");
  Next(1);
  EXPECT_EQ(messages_[0].header().camera_path(), "/Eye");
  EXPECT_EQ(messages_[0].header().settings_path(), "/Settings");
  EXPECT_EQ(messages_[0].header().settings().path(), "/Settings");
  EXPECT_EQ(camera_.focal_length(0), 35);
  EXPECT_FALSE(camera_.has_samples());
  EXPECT_EQ(rows_.size(), 1u) << "of the purposes of the settings";
  EXPECT_EQ(rows_["/Drawn"].purposes(0), v1::PURPOSE_PROXY);
  EXPECT_EQ(Next(2), Strings{"camera"});
  EXPECT_EQ(camera_.focal_length(0), 50);
  EXPECT_EQ(messages_[0].header().settings_path(), "/Settings");
  EXPECT_EQ(Next(3), Strings());
  SetShutter(0, 1);
  Next(3);
  EXPECT_EQ(camera_.samples().times_size(), 2);
  EXPECT_EQ(camera_.focal_length_size(), 2);
  options_.mutable_selection()->set_camera("/Other");
  options_.mutable_selection()->add_purposes(v1::PURPOSE_DEFAULT);
  Next(3);
  EXPECT_EQ(messages_[0].header().camera_path(), "/Other");
  EXPECT_TRUE(rows_.contains("/NotDrawn"));
}

TEST_F(FrameObjectsTest, PassesHaveMembers) {
  Load(R"(def RenderPass "Pass" {
  rel collection:matte:includes = </A>
  rel collection:prune:includes = </B>
}
def Cube "A" {
}
def Cube "B" {
}
)");
  Next(1);
  EXPECT_EQ(rows_["/A"].pass_members(), "");
  options_.mutable_selection()->set_render_pass("/Pass");
  Next(1);
  EXPECT_EQ(rows_["/A"].pass_members()[0] & 8, 8);
  EXPECT_EQ(rows_["/B"].pass_members()[0] & 12, 4);
}

}  // namespace
}  // namespace stagedoor::server
