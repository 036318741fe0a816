#include <string>
#include <vector>

#include "scene/frame/testing/frame_layer_fixture.h"
#include "scene/geom/geom_tokens.h"
#include "scene/stage/collection.h"

namespace stagedoor {
namespace {

using FrameLayerLookTest = FrameLayerTest;

TEST_F(FrameLayerLookTest, MaterialsAreBoundDirectlyAndHaveTheirNetworks) {
  Make(R"(
def Xform "A" (
  apiSchemas = ["MaterialBindingAPI"]
) {
  rel material:binding:preview = </Grey>
  rel material:binding = </Red>
  def Mesh "M" {
    point3f[] points = [(1, 2, 3)]
    def GeomSubset "S" (
      apiSchemas = ["MaterialBindingAPI"]
    ) {
      uniform token elementType = "face"
      uniform token familyName = "materialBind"
      int[] indices.timeSamples = { 0: [0], 1: [1, 2] }
      rel material:binding = </Grey>
    }
    uniform token subsetFamily:materialBind:familyType = "nonOverlapping"
  }
}
def Cube "Bare" {}
def Material "Red" {
  color3f inputs:tint.timeSamples = { 0: (0, 0, 0), 2: (1, 1, 1) }
  token outputs:surface.connect = </Red/Surface.outputs:surface>
  def Shader "Surface" {
    uniform token info:id = "UsdPreviewSurface"
    color3f inputs:diffuseColor.connect = </Red/Graph.outputs:out>
    token outputs:surface
  }
  def NodeGraph "Graph" {
    color3f outputs:out.connect = </Red/Graph/Texture.outputs:rgb>
    def Shader "Texture" {
      uniform token info:id = "UsdUVTexture"
      asset inputs:file = @./tex.png@ (
        colorSpace = "raw"
      )
      float3 outputs:rgb
    }
  }
  def Shader "Unused" {
    uniform token info:id = "Unused"
  }
}
def Material "Grey" {}
def Material "NotBound" {}
)",
       TimeCode::At(1));
  EXPECT_EQ(Targets("/A/M", "material:binding"), "/Red");
  EXPECT_TRUE(Flat("/A/M").HasApi(Token("MaterialBindingAPI")));
  EXPECT_EQ(Targets("/Bare", "material:binding"), "none");
  EXPECT_EQ(Targets("/A/M/S", "material:binding"), "/Grey");
  EXPECT_EQ(FlatValue("/A/M/S", "indices"), "[1, 2]");
  EXPECT_EQ(FlatValue("/A/M/S", "familyName"), "\"materialBind\"");
  EXPECT_EQ(FlatValue("/A/M", "subsetFamily:materialBind:familyType"), "\"nonOverlapping\"");
  EXPECT_EQ(FlatValue("/Red", "inputs:tint", TimeCode::Default()), "(0.5, 0.5, 0.5)");
  EXPECT_EQ(FlatValue("/Red/Surface", "info:id"), "\"UsdPreviewSurface\"");
  const Attribute color = Flat("/Red/Surface").GetAttribute(Token("inputs:diffuseColor"));
  ASSERT_EQ(color.Connections(context()).size(), 1u);
  EXPECT_EQ(color.Connections(context())[0].ToString(), "/Red/Graph.outputs:out");
  EXPECT_NE(FlatValue("/Red/Graph/Texture", "inputs:file").find("/tex.png"), std::string::npos)
      << "it is anchored to the layer that has it";
  EXPECT_EQ(Text(Flat("/Red/Graph/Texture")
                     .GetAttribute(Token("inputs:file"))
                     .Metadata(context(), Token("colorSpace"))),
            "\"raw\"");
  EXPECT_FALSE(flat_->FindPrim("/Red/Unused").valid());
  EXPECT_FALSE(flat_->FindPrim("/NotBound").valid());
}

TEST_F(FrameLayerLookTest, AMaterialOfOnePrimDoesNotReachThePrimBelow) {
  Make(R"(
def Cube "A" (
  apiSchemas = ["MaterialBindingAPI", "CollectionAPI:one"]
) {
  uniform token collection:one:expansionRule = "explicitOnly"
  rel collection:one:includes = </A>
  rel material:binding:collection:one = [</A.collection:one>, </Red>]
  def Cube "Below" {}
}
def Material "Red" {}
)",
       TimeCode::At(1));
  EXPECT_EQ(Targets("/A", "material:binding"), "none");
  EXPECT_EQ(Targets("/A", "material:binding:collection:frame"), "/A.collection:frame /Red");
  const auto members = Collection(Flat("/A"), Token("frame")).ComputeMembershipQuery(context());
  EXPECT_TRUE(members.Includes(P("/A")));
  EXPECT_FALSE(members.Includes(P("/A/Below")));
}

TEST_F(FrameLayerLookTest, LightsHaveTheCollectionsThatLinkThem) {
  Make(R"(
def Xform "Lights" {
  double xformOp:translateX.timeSamples = { 0: 0, 2: 2 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def SphereLight "All" {
    float inputs:intensity.timeSamples = { 0: 1, 2: 3 }
    rel light:filters = </Filter>
  }
  def RectLight "Some" (
    apiSchemas = ["CollectionAPI:more"]
  ) {
    token visibility = "invisible"
    uniform bool collection:lightLink:includeRoot = false
    rel collection:lightLink:includes = [</A>, </Sets.collection:named>]
    rel collection:shadowLink:excludes = </A>
  }
}
def "Sets" (
  apiSchemas = ["CollectionAPI:named"]
) {
  rel collection:named:includes = </B>
}
def LightFilter "Filter" {}
def Cube "A" {}
def Cube "B" {}
def Cube "C" {}
)",
       TimeCode::At(1));
  EXPECT_TRUE(IsInPlace("/Lights/All", 1));
  EXPECT_EQ(FlatValue("/Lights/All", "inputs:intensity", TimeCode::Default()), "2");
  EXPECT_EQ(Targets("/Lights/All", "light:filters"), "/Filter");
  EXPECT_EQ(Flat("/Filter").type_name(), Token("LightFilter"));
  EXPECT_EQ(FlatValue("/Lights/Some", "visibility"), "\"invisible\"");
  for (const char* name : {"/Lights/All", "/Lights/Some"}) {
    for (const char* collection : {"lightLink", "shadowLink"}) {
      const auto want = Collection(Find(name), Token(collection)).ComputeMembershipQuery(context());
      const auto have = Collection(Flat(name), Token(collection)).ComputeMembershipQuery(context());
      for (const char* prim : {"/A", "/B", "/C", "/A/below"}) {
        EXPECT_EQ(have.Includes(P(prim)), want.Includes(P(prim)))
            << name << ' ' << collection << ' ' << prim;
      }
    }
  }
}

TEST_F(FrameLayerLookTest, CameraSettingsAndPassAreCopied) {
  Open(R"((
  renderSettingsPrimPath = "/Render/Settings"
)
def Camera "Cam" {
  float focalLength.timeSamples = { 0: 20, 2: 40 }
  double xformOp:translateX = 3
  uniform token[] xformOpOrder = ["xformOp:translateX"]
}
def Scope "Render" {
  def RenderSettings "Settings" {
    rel camera = </Cam>
    rel products = </Render/Image>
    int2 resolution = (640, 480)
    custom int ri:samples = 7
  }
  def RenderProduct "Image" {
    token productName = "image.exr"
    rel orderedVars = </Render/Color>
  }
  def RenderVar "Color" {
    string sourceName = "Ci"
  }
  def RenderPass "Pass" (
    apiSchemas = ["CollectionAPI:matte"]
  ) {
    token passType = "beauty"
    rel collection:matte:includes = </Cam>
  }
}
)");
  camera_ = Find("/Cam");
  settings_ = Find("/Render/Settings");
  selection_.render_pass = Find("/Render/Pass");
  Make(TimeCode::At(1), kShutter);
  EXPECT_TRUE(IsInPlace("/Cam", 1));
  EXPECT_EQ(FlatValue("/Cam", "focalLength", TimeCode::At(1)), "30");
  EXPECT_EQ(SampleTimes("/Cam", "focalLength"), (std::vector<double>{0, 2}));
  EXPECT_EQ(Targets("/Render/Settings", "products"), "/Render/Image");
  EXPECT_EQ(FlatValue("/Render/Settings", "ri:samples"), "7");
  EXPECT_EQ(FlatValue("/Render/Image", "productName"), "\"image.exr\"");
  EXPECT_EQ(FlatValue("/Render/Color", "sourceName"), "\"Ci\"");
  EXPECT_EQ(Targets("/Render/Pass", "collection:matte:includes"), "/Cam");
  EXPECT_TRUE(Flat("/Render/Pass").HasApi(Token("CollectionAPI:matte")));
  EXPECT_EQ(Text(flat_->Metadata(Token("renderSettingsPrimPath"))), "\"/Render/Settings\"");
}

TEST_F(FrameLayerLookTest, ASubsetThatIsBoundToNothingHasNoMaterial) {
  Make(R"(
def Xform "A" (
  apiSchemas = ["MaterialBindingAPI"]
) {
  rel material:binding = </Red>
  def Mesh "M" {
    point3f[] points = [(1, 2, 3)]
    def GeomSubset "S" (
      apiSchemas = ["MaterialBindingAPI"]
    ) {
      uniform token familyName = "materialBind"
      rel material:binding = </Gone>
    }
  }
}
def Material "Red" {}
)",
       TimeCode::At(1));
  EXPECT_EQ(Targets("/A/M", "material:binding"), "none");
  EXPECT_EQ(Targets("/A/M", "material:binding:collection:frame"), "/A/M.collection:frame /Red");
}

TEST_F(FrameLayerLookTest, LightsKeepTheNodesThatTheyAreConnectedTo) {
  Make(R"(
def SphereLight "L" {
  color3f inputs:color.connect = </Nodes/Graph.outputs:out>
  float primvars:ri:n = 3
}
def Scope "Nodes" {
  def NodeGraph "Graph" {
    color3f outputs:out.connect = </Nodes/Graph/Texture.outputs:rgb>
    def Shader "Texture" {
      uniform token info:id = "UsdUVTexture"
      float inputs:scale = 2
      color3f outputs:rgb
    }
  }
  def Shader "Unused" {}
}
)",
       TimeCode::At(1));
  const Attribute color = Flat("/L").GetAttribute(Token("inputs:color"));
  ASSERT_EQ(color.Connections(context()).size(), 1u);
  EXPECT_EQ(color.Connections(context())[0].ToString(), "/Nodes/Graph.outputs:out");
  EXPECT_EQ(FlatValue("/Nodes/Graph/Texture", "inputs:scale"), "2");
  EXPECT_EQ(FlatValue("/Nodes/Graph/Texture", "info:id"), "\"UsdUVTexture\"");
  EXPECT_FALSE(flat_->FindPrim("/Nodes/Unused").valid());
  EXPECT_EQ(FlatValue("/L", "primvars:ri:n"), "none") << "prims below would inherit it";
}

TEST_F(FrameLayerLookTest, ALightWhoseGeometryIsNotDrawnIsNotDrawn) {
  Open(R"(
def Mesh "M" (
  apiSchemas = ["MeshLightAPI", "MaterialBindingAPI"]
) {
  point3f[] points = [(1, 2, 3)]
  float inputs:intensity = 4
  rel material:binding = </Red>
}
def Material "Red" {}
)");
  Make(TimeCode::At(1));
  EXPECT_EQ(Flat("/M").type_name(), Token("Mesh"));
  EXPECT_EQ(FlatValue("/M", "inputs:intensity"), "4");
  selection_.types = {Token("Cube")};
  Make(TimeCode::At(1));
  EXPECT_EQ(Flat("/M").type_name(), Token("Xform"));
  EXPECT_EQ(FlatValue("/M", "inputs:intensity"), "4");
  EXPECT_EQ(FlatValue("/M", "points"), "none");
  EXPECT_EQ(Targets("/M", "material:binding"), "none");
}

TEST_F(FrameLayerLookTest, SettingsKeepWhatTheyLeadTo) {
  Open(R"(
def RenderSettings "Settings" {
  rel camera = </Names.to:camera>
  uniform token aspectRatioConformPolicy = None
  token outputs:ri:integrator.connect = </Integrator.outputs:result>
}
def "Names" {
  rel to:camera = </Cam>
  rel to:other = </Cam>
}
def Camera "Cam" {
  float focalLength = 35
}
def Shader "Integrator" {
  uniform token info:id = "PxrPathTracer"
  token outputs:result
}
)");
  settings_ = Find("/Settings");
  Make(TimeCode::At(1));
  EXPECT_EQ(Targets("/Settings", "camera"), "/Names.to:camera");
  EXPECT_EQ(Targets("/Names", "to:camera"), "/Cam");
  EXPECT_EQ(Targets("/Names", "to:other"), "none");
  EXPECT_EQ(FlatValue("/Cam", "focalLength"), "35") << "the camera of settings without products";
  EXPECT_EQ(FlatValue("/Integrator", "info:id"), "\"PxrPathTracer\"");
  EXPECT_NE(LayerText().find("aspectRatioConformPolicy = None"), std::string::npos) << LayerText();
}

}  // namespace
}  // namespace stagedoor
