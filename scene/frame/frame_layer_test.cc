#include "scene/frame/frame_layer.h"

#include <string>
#include <string_view>
#include <vector>

#include "scene/frame/frame_layer_specs.h"
#include "scene/frame/testing/frame_layer_fixture.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/primvar.h"
#include "scene/testing/skeleton_text.h"

namespace stagedoor {
namespace {

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

TEST_F(FrameLayerTest, BoundsOfModelsMayVary) {
  Make(R"(
def Xform "Model" (
  kind = "component"
  apiSchemas = ["GeomModelAPI"]
) {
  uniform token model:drawMode = "cards"
  float3[] extentsHint.timeSamples = { 0: [(0, 0, 0), (1, 1, 1)], 2: [(0, 0, 0), (3, 3, 3)] }
}
)",
       TimeCode::At(1), kShutter);
  EXPECT_EQ(SampleTimes("/Model", "extentsHint"), (std::vector<double>{0, 2}));
}

TEST_F(FrameLayerTest, FieldsThatAreLeftOutAreNotDrawn) {
  Open(R"(
def Volume "V" {
  rel field:density = </Cube>
}
def Cube "Cube" {
  token fieldName = "density"
}
)");
  selection_.excluded = FindAll({"/Cube"});
  Make(TimeCode::At(1));
  EXPECT_EQ(Flat("/Cube").type_name(), Token("Xform"));
  EXPECT_EQ(FlatValue("/Cube", "fieldName"), "\"density\"");
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

TEST_F(FrameLayerTest, PrimvarsThatArePutOutOfSightStayOutOfSight) {
  Make(R"(
def Cube "Above" {
  float primvars:a = 1
  float primvars:b = 2
  def Xform "Between" {
    float[] primvars:a = [3] (
      interpolation = "vertex"
    )
    def Cube "Below" {}
  }
}
)",
       TimeCode::At(1));
  EXPECT_EQ(FlatValue("/Above", "primvars:a"), "1");
  EXPECT_EQ(FlatValue("/Above/Between/Below", "primvars:b"), "2");
  const auto inherited = FindPrimvarWithInheritance(context(), Flat("/Above/Between/Below"), "a");
  EXPECT_FALSE(inherited) << inherited->attribute().path().ToString();
}

TEST_F(FrameLayerTest, APurposeThatIsResetStaysReset) {
  Make(R"(
def Cube "Above" {
  uniform token purpose = "render"
  def Xform "Between" {
    uniform token purpose = "default"
    def Cube "Below" {}
  }
  def Cube "Beside" {}
}
)",
       TimeCode::At(1));
  EXPECT_EQ(FlatValue("/Above/Between/Below", "purpose"), "\"default\"");
  EXPECT_EQ(LayerText().find("purpose"), LayerText().find("purpose = \"render\""));
  EXPECT_EQ(ComputePurposeInfo(context(), Flat("/Above/Beside")).purpose, Token("render"));
}

TEST_F(FrameLayerTest, ABlockedSampleIsNotTheFallback) {
  Make(R"(
def Cube "C" {
  double size.timeSamples = { 0: None, 5: 1 }
}
)",
       TimeCode::At(1));
  const Attribute size = Find("/C").GetAttribute(Token("size"));
  EXPECT_EQ(FlatValue("/C", "size"), Text(size.Get(context(), TimeCode::At(1))));
  EXPECT_EQ(SampleTimes("/C", "size"), std::vector<double>{1});
}

TEST_F(FrameLayerTest, ABlockedDefaultIsNotTheFallbackAtDefaultTime) {
  constexpr std::string_view kText = "def Sphere \"S\" {\n  float3[] extent = None\n}\n";
  Make(kText, TimeCode::Default());
  EXPECT_EQ(FlatValue("/S", "extent", TimeCode::Default()), "-");
  Make(kText, TimeCode::At(1));
  EXPECT_EQ(FlatValue("/S", "extent"), "[(-1, -1, -1), (1, 1, 1)]");
}

TEST_F(FrameLayerTest, VelocitiesThatMoveNoPointsKeepTheirSamplesAtTheFrame) {
  // After the frame, at 2, the points have a sample at 5, and the velocities at 3.
  constexpr std::string_view kText = R"(
def Mesh "M" {
  point3f[] points.timeSamples = { 1: [(1, 0, 0)], 2: [(2, 0, 0)], 5: [(5, 0, 0)] }
  vector3f[] velocities.timeSamples = { 1: [(7, 0, 0)], 2: [(7, 0, 0)], 3: [(7, 0, 0)] }
}
)";
  Make(kText, TimeCode::At(2), SamplePolicy{.open = -0.5, .close = -0.25});
  EXPECT_EQ(SampleTimes("/M", "points"), (std::vector<double>{1, 2, 5}));
  EXPECT_EQ(SampleTimes("/M", "velocities"), (std::vector<double>{1, 2, 3}));
}

TEST_F(FrameLayerTest, WhatIsSelectedBelowASubsetIsDrawn) {
  Open(R"(
def GeomSubset "S" {
  def Cube "C" {}
}
)");
  selection_.roots = {Find("/S/C")};
  Make(TimeCode::At(1));
  ASSERT_EQ(Rows(), "/S/C");
  EXPECT_EQ(Flat("/S").type_name(), Token("Xform"));
}

TEST_F(FrameLayerTest, AStandInOfAnInstanceIsAModel) {
  Make(R"(
class "_Model" (
  kind = "subcomponent"
) {
  def Xform "Inside" (
    kind = "component"
  ) {
    uniform token model:drawMode = "origin"
    def Cube "C" {}
  }
}
def Xform "A" (
  instanceable = true
  references = </_Model>
) {}
)",
       TimeCode::At(1));
  ASSERT_EQ(Rows(), "/A/Inside") << "it is drawn as an origin";
  EXPECT_TRUE(Flat("/A/Inside").IsModel());
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
