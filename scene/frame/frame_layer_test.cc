#include "scene/frame/frame_layer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/frame/frame_layer_specs.h"
#include "scene/frame/testing/frame_fixture.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/point_instancer.h"
#include "scene/geom/xform_cache.h"
#include "scene/stage/collection.h"
#include "scene/testing/skeleton_text.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

class FrameLayerTest : public FrameTest {
 protected:
  // Makes the layer of the frame at `time` of the scene, and opens it as a stage.
  void Make(std::string_view text, TimeCode time, std::optional<SamplePolicy> policy = {}) {
    Open(text);
    Make(time, policy);
  }
  void Make(TimeCode time, std::optional<SamplePolicy> policy = {}) {
    Plan();
    const FrameLayerSource source{.stage = *stage_,
                                  .plan = *plan_,
                                  .selection = selection_,
                                  .times = {.frame = time, .policy = policy},
                                  .camera = camera_,
                                  .settings = settings_,
                                  .without_invisible = without_invisible_};
    auto made = MakeFrameLayer(context(), source, {.identifier = "anon:frame", .format = "usda"});
    ASSERT_TRUE(made.ok()) << made.status();
    frame_ = *std::move(made);
    auto flat = Stage::Open(context(), scene_.environment(), {}, frame_.layer, nullptr);
    ASSERT_TRUE(flat.ok()) << flat.status();
    flat_ = *flat;
  }
  std::string LayerText() const { return WriteUsda(*frame_.layer); }

  Prim Flat(std::string_view path) const {
    const Prim prim = flat_->FindPrim(path);
    EXPECT_TRUE(prim.valid()) << path << " is not in\n" << LayerText();
    return prim;
  }
  // The value of an attribute of the layer, as text.
  std::string FlatValue(std::string_view path, std::string_view name,
                        TimeCode time = TimeCode::At(1)) {
    const Prim prim = Flat(path);
    const Attribute attribute = prim.valid() ? prim.GetAttribute(Token(name)) : Attribute();
    return attribute.valid() ? Text(attribute.Get(context(), time)) : "none";
  }
  std::vector<double> SampleTimes(std::string_view path, std::string_view name) {
    const Attribute attribute = Flat(path).GetAttribute(Token(name));
    if (!attribute.valid()) return {};
    const Array<double> times = attribute.SampleTimes(context());
    return {times.begin(), times.end()};
  }
  // Whether a prim is at the same place in the layer and on the stage.
  bool IsInPlace(std::string_view path, double time) {
    XformCache there(TimeCode::At(time)), here(TimeCode::At(time));
    return there.LocalToWorld(context(), Find(path)) == here.LocalToWorld(context(), Flat(path));
  }
  std::string Targets(std::string_view path, std::string_view name) {
    const Relationship relationship = Flat(path).GetRelationship(Token(name));
    std::vector<std::string> targets;
    if (!relationship.valid()) return "none";
    for (const Path target : relationship.Targets()) targets.push_back(target.ToString());
    return Join(targets, " ");
  }

  Prim camera_, settings_;
  bool without_invisible_ = false;
  FrameLayer frame_;
  std::shared_ptr<const Stage> flat_;
};

const SamplePolicy kShutter{.open = -0.5, .close = 0.5};

TEST_F(FrameLayerTest, PrimsKeepTheirPathsAndPlaces) {
  Make(R"((
  defaultPrim = "A"
  metersPerUnit = 0.5
  timeCodesPerSecond = 30
  upAxis = "Z"
)
def Xform "A" ( kind = "group" ) {
  double xformOp:rotateZ = 30
  uniform token[] xformOpOrder = ["xformOp:rotateZ"]
  def Scope "S" {
    def Cube "C" {
      double size.timeSamples = { 0: 1, 2: 3 }
      double3 xformOp:translate.timeSamples = { 0: (0, 1, 2), 2: (4, 5, 6) }
      uniform token[] xformOpOrder = ["xformOp:translate"]
      def Sphere "Below" {}
    }
  }
  def Camera "Other" {
    def Cube "OnCamera" {}
  }
}
def Xform "Empty" {}
)",
       TimeCode::At(1));
  for (const char* path : {"/A/S/C", "/A/S/C/Below", "/A/Other/OnCamera"}) {
    EXPECT_TRUE(IsInPlace(path, 1)) << path;
  }
  EXPECT_EQ(Flat("/A/S").type_name(), Token("Scope"));
  EXPECT_EQ(Flat("/A").kind(), Token("group"));
  EXPECT_EQ(Flat("/A/Other").type_name(), Token("Xform")) << "it is not a camera of the frame";
  EXPECT_FALSE(flat_->FindPrim("/Empty").valid()) << "nothing is drawn there";
  EXPECT_EQ(FlatValue("/A/S/C", "size"), "2");
  EXPECT_EQ(FlatValue("/A/S/C", "xformOpOrder"), "[\"!resetXformStack!\", \"xformOp:transform\"]");
  EXPECT_EQ(FlatValue("/A", "xformOpOrder"), "-") << "a prim above has no transform";
  EXPECT_EQ(Text(flat_->Metadata(Token("metersPerUnit"))), "0.5");
  EXPECT_EQ(Text(flat_->Metadata(Token("upAxis"))), "\"Z\"");
  EXPECT_EQ(flat_->time_codes_per_second(), 30);
  EXPECT_EQ(flat_->start_time_code(), 1);
  EXPECT_EQ(flat_->end_time_code(), 1);
}

TEST_F(FrameLayerTest, WhatVariesWithinTheShutterHasTimeSamples) {
  Make(R"(
def Xform "A" {
  double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 1: (1, 0, 0), 1.25: (5, 0, 0), 3: (6, 0, 0) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Cube "C" {
    double size.timeSamples = { 0: 1, 2: 3 }
    color3f[] primvars:displayColor = [(1, 0, 0)]
  }
}
def Cube "Still" {
  double size.timeSamples = { 5: 1, 6: 1 }
}
)",
       TimeCode::At(1), kShutter);
  EXPECT_EQ(SampleTimes("/A/C", "xformOp:transform"), (std::vector<double>{0, 1, 1.25, 3}));
  for (const double time : {0.0, 1.0, 1.25}) EXPECT_TRUE(IsInPlace("/A/C", time)) << time;
  EXPECT_EQ(SampleTimes("/A/C", "size"), (std::vector<double>{0, 2}));
  EXPECT_EQ(FlatValue("/A/C", "size", TimeCode::At(1.5)), "2.5");
  EXPECT_EQ(SampleTimes("/A/C", "primvars:displayColor"), std::vector<double>());
  EXPECT_EQ(SampleTimes("/Still", "xformOp:transform"), std::vector<double>());
  EXPECT_EQ(FlatValue("/Still", "size", TimeCode::Default()), "1");
}

TEST_F(FrameLayerTest, DefaultTimeHasDefaults) {
  Make(R"(
def Cube "C" {
  double size = 7
  double size.timeSamples = { 0: 1, 2: 3 }
}
)",
       TimeCode::Default());
  EXPECT_EQ(FlatValue("/C", "size", TimeCode::At(5)), "7");
  EXPECT_EQ(LayerText().find("startTimeCode"), std::string::npos) << LayerText();
}

TEST_F(FrameLayerTest, InheritedPrimvarsAreOnThePrim) {
  Make(R"(
def Xform "A" {
  color3f[] primvars:displayColor = [(1, 0, 0)]
  float primvars:other = 3
  def Mesh "M" {
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    normal3f[] normals = [(0, 0, 1)] (
      interpolation = "constant"
    )
    float2[] primvars:st = [(0, 0), (1, 1)] (
      interpolation = "faceVarying"
      elementSize = 1
    )
    int[] primvars:st:indices = [0, 1, 0]
  }
}
)",
       TimeCode::At(1));
  EXPECT_EQ(FlatValue("/A/M", "primvars:displayColor"), "[(1, 0, 0)]");
  EXPECT_EQ(FlatValue("/A/M", "primvars:other"), "3");
  EXPECT_EQ(FlatValue("/A/M", "primvars:st:indices"), "[0, 1, 0]");
  const Prim mesh = Flat("/A/M");
  const auto interpolation = [&](const char* name) {
    return Text(mesh.GetAttribute(Token(name)).Metadata(context(), Geom().interpolation));
  };
  EXPECT_EQ(interpolation("primvars:st"), "\"faceVarying\"");
  EXPECT_EQ(interpolation("primvars:displayColor"), "\"constant\"");
  EXPECT_EQ(interpolation("normals"), "\"constant\"");
  EXPECT_EQ(LayerText().find("subdivisionScheme"), std::string::npos) << "a fallback";
}

TEST_F(FrameLayerTest, InstancesReferenceWhatTheyHaveInCommon) {
  Make(R"(
class "Model" {
  def Mesh "M" {
    point3f[] points = [(1, 2, 3)]
  }
}
def Xform "Frame_Geometry_1" {}
def Xform "A" (
  instanceable = true
  inherits = </Model>
) {
  double xformOp:translateX = 1
  uniform token[] xformOpOrder = ["xformOp:translateX"]
}
def Xform "B" (
  instanceable = true
  inherits = </Model>
) {
  double xformOp:translateX = 2
  uniform token[] xformOpOrder = ["xformOp:translateX"]
}
def Mesh "Other" {
  point3f[] points = [(4, 5, 6)]
}
)",
       TimeCode::At(1));
  for (const char* path : {"/A/M", "/B/M"}) {
    EXPECT_TRUE(IsInPlace(path, 1)) << path;
    EXPECT_EQ(FlatValue(path, "points"), "[(1, 2, 3)]");
    EXPECT_FALSE(Flat(path).IsInstanceProxy());
  }
  const std::string text = LayerText();
  EXPECT_EQ(text.find("(1, 2, 3)"), text.rfind("(1, 2, 3)")) << "it is stored once\n" << text;
  EXPECT_NE(text.find("class Mesh \"Frame_Geometry_2\""), std::string::npos)
      << "the first name is that of a prim\n"
      << text;
  EXPECT_EQ(FlatValue("/Other", "points"), "[(4, 5, 6)]");
}

TEST_F(FrameLayerTest, VisibilityAndPurposeAreThoseOfTheFrame) {
  const std::string_view text = R"(
def Xform "A" {
  token visibility.timeSamples = { 0: "inherited", 1: "invisible" }
  uniform token purpose = "render"
  def Cube "C" {}
}
def Cube "Seen" {
  def Sphere "Plain" {}
}
)";
  Make(text, TimeCode::At(1));
  EXPECT_EQ(FlatValue("/A/C", "visibility", TimeCode::Default()), "\"invisible\"");
  EXPECT_EQ(FlatValue("/A/C", "purpose"), "\"render\"");
  EXPECT_EQ(ComputeVisibility(context(), Flat("/Seen/Plain"), TimeCode::At(1)), Geom().inherited);
  Make(TimeCode::At(0));
  EXPECT_EQ(ComputeVisibility(context(), Flat("/A/C"), TimeCode::At(0)), Geom().inherited);
  without_invisible_ = true;
  Make(TimeCode::At(1));
  EXPECT_FALSE(flat_->FindPrim("/A/C").valid());
  EXPECT_TRUE(flat_->FindPrim("/Seen").valid());
}

TEST_F(FrameLayerTest, MaterialsAreBoundDirectlyAndHaveTheirNetworks) {
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

TEST_F(FrameLayerTest, AMaterialOfOnePrimDoesNotReachThePrimBelow) {
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

TEST_F(FrameLayerTest, InstancersKeepTheirPrototypes) {
  Make(R"(
def PointInstancer "I" (
  prepend inactiveIds = [8]
) {
  rel prototypes = [</I/P>, </I/Q>]
  int[] protoIndices = [0, 1, 0]
  int64[] ids = [7, 8, 9]
  int64[] invisibleIds.timeSamples = { 0: [], 1: [9] }
  point3f[] positions.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (2, 0, 0)], 2: [(0, 2, 0), (1, 2, 0), (2, 2, 0)] }
  quath[] orientations = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)]
  double xformOp:translateX = 5
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Xform "P" {
    double xformOp:translateY = 6
    uniform token[] xformOpOrder = ["xformOp:translateY"]
    def Xform "Group" {
      double xformOp:translateZ = 7
      uniform token[] xformOpOrder = ["xformOp:translateZ"]
      def Cube "C" {}
    }
  }
  def Sphere "Q" {
    double xformOp:scaleX = 8
    uniform token[] xformOpOrder = ["xformOp:scaleX"]
  }
}
)",
       TimeCode::At(1));
  EXPECT_EQ(Targets("/I", "prototypes"), "/I/P /I/Q");
  EXPECT_EQ(FlatValue("/I", "positions"), "[(0, 1, 0), (1, 1, 0), (2, 1, 0)]");
  EXPECT_EQ(FlatValue("/I", "invisibleIds"), "[9]");
  EXPECT_EQ(FlatValue("/I/P", "xformOpOrder"), "[\"xformOp:transform\"]") << "its own transform";
  const auto transforms = [&](const Prim& instancer) {
    const auto found =
        ComputeInstanceTransforms(context(), instancer, TimeCode::At(1), TimeCode::At(1));
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->transforms : std::vector<Matrix4d>();
  };
  EXPECT_EQ(transforms(Find("/I")).size(), 1u) << "one is invisible, one inactive";
  EXPECT_EQ(transforms(Flat("/I")), transforms(Find("/I")));
  XformCache cache(TimeCode::At(1));
  const Matrix4d group = cache.Local(context(), Flat("/I/P/Group"));
  EXPECT_EQ(group.m[3][2], 7);
  EXPECT_TRUE(IsInPlace("/I", 1));
}

TEST_F(FrameLayerTest, RatesOfChangeBecomePositions) {
  Make(R"((
  timeCodesPerSecond = 1
)
def PointInstancer "I" {
  rel prototypes = </I/P>
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 1: [(0, 0, 0)], 2: [(9, 9, 9)] }
  vector3f[] velocities.timeSamples = { 1: [(4, 0, 0)], 2: [(0, 0, 0)] }
  def Cube "P" {}
}
def Points "Dust" {
  point3f[] points.timeSamples = { 1: [(0, 0, 0)], 2: [(9, 9, 9)] }
  vector3f[] velocities.timeSamples = { 1: [(0, 4, 0)], 2: [(0, 0, 0)] }
}
)",
       TimeCode::At(1), kShutter);
  EXPECT_EQ(SampleTimes("/I", "positions"), (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(FlatValue("/I", "positions", TimeCode::At(1.5)), "[(2, 0, 0)]");
  EXPECT_EQ(FlatValue("/I", "velocities"), "-");
  EXPECT_EQ(FlatValue("/Dust", "points", TimeCode::At(0.5)), "[(0, -2, 0)]");
}

TEST_F(FrameLayerTest, PrototypesThatAreAlsoDrawnStayInTheirPlace) {
  Make(R"(
def Xform "Where" {
  double xformOp:translateX = 5
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Scope "Library" {
    def Xform "P" {
      double xformOp:translateY = 6
      uniform token[] xformOpOrder = ["xformOp:translateY"]
      def Cube "C" {
        double xformOp:translateZ = 7
        uniform token[] xformOpOrder = ["xformOp:translateZ"]
      }
    }
  }
}
def PointInstancer "I" {
  rel prototypes = </Where/Library/P>
  int[] protoIndices = [0]
  point3f[] positions = [(0, 0, 0)]
}
)",
       TimeCode::At(1));
  EXPECT_TRUE(IsInPlace("/Where/Library/P/C", 1));
  XformCache cache(TimeCode::At(1));
  EXPECT_EQ(cache.Local(context(), Flat("/Where/Library/P")).m[3][1], 6);
}

TEST_F(FrameLayerTest, SkinnedPointsAreDeformed) {
  Make(Concat("def SkelRoot \"C\" {", kTwoJoints, R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations.timeSamples = { 0: [(0, 0, 0), (0, 2, 0)], 2: [(8, 0, 0), (0, 2, 0)] }
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
  def Mesh "M" (
    apiSchemas = ["SkelBindingAPI"]
  ) {
    rel skel:skeleton = </C/Skel>
    point3f[] points = [(0, 0, 0), (0, 1, 0)]
    float3[] extent = [(0, 0, 0), (0, 1, 0)]
    int[] primvars:skel:jointIndices = [0, 1] (
      interpolation = "vertex"
      elementSize = 1
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      interpolation = "vertex"
      elementSize = 1
    )
  }
}
)"),
       TimeCode::At(1));
  EXPECT_EQ(FlatValue("/C/M", "points"), "[(4, 0, 0), (4, 1, 0)]");
  EXPECT_EQ(FlatValue("/C/M", "extent"), "[(4, 0, 0), (4, 1, 0)]");
  EXPECT_FALSE(Flat("/C/M").HasApi(Token("SkelBindingAPI")));
  EXPECT_EQ(LayerText().find("primvars:skel"), std::string::npos) << LayerText();
  selection_.without_skinning = true;
  Make(TimeCode::At(1));
  EXPECT_EQ(FlatValue("/C/M", "points"), "[(0, 0, 0), (0, 1, 0)]");
  EXPECT_EQ(FlatValue("/C/M", "primvars:skel:jointIndices"), "[0, 1]");
}

TEST_F(FrameLayerTest, LightsHaveTheCollectionsThatLinkThem) {
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

TEST_F(FrameLayerTest, CameraSettingsAndPassAreCopied) {
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

TEST_F(FrameLayerTest, ModelsThatAreDrawnAsCardsKeepTheirBounds) {
  Make(R"(
def Xform "Model" (
  kind = "component"
  apiSchemas = ["GeomModelAPI"]
) {
  uniform token model:drawMode = "cards"
  uniform token model:cardGeometry = "box"
  asset model:cardTextureXPos = @./card.png@
  def Cube "Inside" {
    double size = 4
  }
}
)",
       TimeCode::At(1));
  EXPECT_FALSE(flat_->FindPrim("/Model/Inside").valid());
  EXPECT_EQ(FlatValue("/Model", "model:drawMode"), "\"cards\"");
  EXPECT_EQ(FlatValue("/Model", "model:applyDrawMode"), "1");
  EXPECT_EQ(FlatValue("/Model", "model:cardGeometry"), "\"box\"");
  EXPECT_EQ(FlatValue("/Model", "extentsHint"), "[(-2, -2, -2), (2, 2, 2)]");
  EXPECT_EQ(Flat("/Model").kind(), Token("component"));
}

TEST_F(FrameLayerTest, VolumesHaveTheirFields) {
  Make(R"(
def Volume "V" {
  rel field:density = </V/D>
  double xformOp:translateX = 2
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def OpenVDBAsset "D" {
    asset filePath.timeSamples = { 0: @./a.vdb@, 1: @./b.vdb@ }
    token fieldName = "density"
  }
}
)",
       TimeCode::At(1));
  EXPECT_EQ(Targets("/V", "field:density"), "/V/D");
  EXPECT_EQ(Flat("/V/D").type_name(), Token("OpenVDBAsset"));
  EXPECT_NE(FlatValue("/V/D", "filePath").find("/b.vdb"), std::string::npos);
  EXPECT_EQ(FlatValue("/V/D", "fieldName"), "\"density\"");
  EXPECT_TRUE(IsInPlace("/V/D", 1));
}

TEST_F(FrameLayerTest, WhatCannotBeComputedIsReported) {
  Make(R"(
def PointInstancer "I" {
  rel prototypes = </I/P>
  int[] protoIndices = [0, 0]
  point3f[] positions = [(0, 0, 0)]
  def Cube "P" {}
}
def Cube "C" {}
)",
       TimeCode::At(1));
  ASSERT_EQ(frame_.problems.size(), 1u);
  EXPECT_EQ(frame_.problems[0].path, "/I");
  EXPECT_EQ(frame_.problems[0].status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(flat_->FindPrim("/C").valid());
}

TEST_F(FrameLayerTest, MemoryIsReservedForTheLayer) {
  Open(R"(
def Mesh "M" {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 2: [(2, 2, 2)] }
}
)");
  Make(TimeCode::At(1));
  EXPECT_GT(frame_.reserved.bytes(), 0u);
  RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = 1000});
  const FrameLayerSource source{.stage = *stage_,
                                .plan = *plan_,
                                .selection = selection_,
                                .times = {.frame = TimeCode::At(1)}};
  EXPECT_EQ(MakeFrameLayer(small, source, {}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

// Samples of a million instances would otherwise fill the memory before the layer counts them.
TEST_F(FrameLayerTest, SamplesAreReservedBeforeTheLayerHasThem) {
  RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = 10000});
  FlatAttribute attribute{.name = Token("positions"), .type_name = Token("point3f[]")};
  Vec3f* points;
  const auto positions = [&] { return Value(Array<Vec3f>::Uninitialized(500, &points)); };
  ASSERT_TRUE(attribute.Add(small, TimeCode::At(1), positions()).ok());
  EXPECT_EQ(attribute.Add(small, TimeCode::At(2), positions()).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(attribute.samples.size(), 1u);
}

}  // namespace
}  // namespace stagedoor
