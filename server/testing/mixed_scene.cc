#include "server/testing/mixed_scene.h"

#include "base/strings.h"
#include "scene/testing/skeleton_text.h"

namespace stagedoor::server {
namespace {

constexpr const char* kRoot = R"(#usda 1.0
(
  defaultPrim = "World"
  startTimeCode = 1
  endTimeCode = 4
  customLayerData = { string note = "a note of more than a few characters"
    dictionary more = { double[] numbers = [1, 2, 3] } }
  expressionVariables = { string WHICH = "b"; string WORD = "written" }
  subLayers = [@./look.usda@ (offset = 1), @`"./over_${WHICH}.usda"`@]
  relocates = { </World/Moved/Geo>: </World/Moved/Geometry> }
)
def Xform "World" (
  kind = "assembly"
  prepend apiSchemas = ["CollectionAPI:rules", "CollectionAPI:words", "SemanticsLabelsAPI:kind"]
) {
  double3 xformOp:translate = (0, 0, 5)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  uniform token collection:rules:expansionRule = "expandPrims"
  rel collection:rules:includes = [</World>]
  rel collection:rules:excludes = [</World/Moved>]
  uniform pathExpression collection:words:membershipExpression = "//M* + //{isa:Mesh}"
  token[] semantics:labels:kind.timeSamples = { 1: ["set"], 3: ["street"] }
  float[] primvars:inherited = [1, 2] (
    interpolation = "constant"
  )
  def "Moved" (
    references = @./model.usda@
  ) {
    over "Geometry" {
      double late = 3
    }
  }
  def "Light" (
    variants = { string look = "red" }
    references = [@./model.usda@, @./crate.usdc@</Crate>]
  ) {
  }
  def "One" (
    instanceable = true
    references = @./model.usda@
  ) {
  }
  def "Two" (
    instanceable = true
    references = @./model.usda@
  ) {
  }
  def "Heavy" (
    payload = @./heavy.usda@</Heavy>
  ) {
  }
  def "Sure" (
    specializes = </World/Basis>
  ) {
  }
  def "Lost" (
    references = @./missing.usda@
  ) {
  }
  class "Basis" {
    double basic = 7
    token[] words = ["a", "b"]
  }
  def Volume "Smoke" {
    rel field:density = </World/Smoke/Density>
    def OpenVDBAsset "Density" {
      asset filePath.timeSamples = { 1: @./smoke.1.vdb@, 4: @./smoke.4.vdb@ }
      token fieldName = "density"
    }
  }
  def Mesh "Parts" {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    def GeomSubset "Edges" {
      uniform token elementType = "edge"
      uniform token familyName = "sharp"
      int[] indices.timeSamples = { 1: [0, 1], 4: [1, 2, 2, 0] }
    }
    def GeomSubset "Faces" {
      uniform token familyName = "looks"
      int[] indices = [0]
    }
  }
  def TetMesh "Tets" {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int4[] tetVertexIndices.timeSamples = { 1: [(0, 1, 2, 3)], 4: [(0, 1, 3, 2), (0, 0, 1, 9)] }
  }
  def Camera "Lens" (
    prepend apiSchemas = ["CoordSysAPI:paint", "ColorSpaceAPI", "ColorSpaceDefinitionAPI:own"]
  ) {
    rel coordSys:paint:binding = </World>
    uniform token colorSpace:name = "show space"
    token colorSpaceDefinition:own:name = "show space"
    float focalLength.timeSamples = { 1: 35, 10: 50 }
    float4[] clippingPlanes = [(0, 0, 1, 5)]
  }
  def Xform "Detailed" (
    prepend apiSchemas = ["LODRootAPI", "LODOverrideAPI"]
  ) {
    rel lod:heuristics = [</World/Detailed/Size>, </World/Detailed/Distance>]
    token lod:override:mode.timeSamples = { 1: "inherited", 4: "indexedLOD" }
    def LODScreenSizeHeuristic "Size" {
      uniform token lod:domain = "imaging"
      uniform float[] thresholds = [0.5, 0.1]
      uniform token projectionMethod = "projectedExtent"
    }
    def LODDistanceHeuristic "Distance" {
      uniform token lod:domain = "imaging"
      uniform float[] thresholds = [1, 2]
      rel boundingVolume = </World/Parts>
    }
  }
  def PhysicsCollisionGroup "Walls" {
    rel collection:colliders:includes = </World/Crate>
    rel physics:filteredGroups = </World/Toys>
  }
  def PhysicsCollisionGroup "Toys" {
    bool physics:invertFilteredGroups = 1
    string physics:mergeGroup = "toys"
  }
  def Xform "Crate" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI"]
  ) {
    float physics:density = 20
    rel physics:filteredPairs = </World/Crate/Box>
    def Cube "Box" (
      prepend apiSchemas = ["PhysicsCollisionAPI"]
    ) {
    }
    def Mesh "Hull" (
      prepend apiSchemas = ["PhysicsCollisionAPI"]
    ) {
      point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
      int[] faceVertexCounts = [3, 3, 3, 3]
      int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
    }
  }
  def RenderSettings "Render" {
    rel camera = </World/Lens>
    rel products = [</World/Render/Beauty>, </World/Lens>]
    def RenderProduct "Beauty" {
      token productName = "beauty.exr"
      rel orderedVars = [</World/Render/Ci>, </World/Lens>]
    }
    def RenderVar "Ci" {
      int ri:filter = 4
    }
  }
  def RenderPass "Pass" {
    string[] command = ["a program", "with an argument"]
    rel renderSource = </World/Render>
    asset fileName = @./look.usda@
    pathExpression collection:matte:membershipExpression = "//{isa:Mesh}"
  }
  def Xform "Curve" {
    double a.spline = { bezier, 1: 2; post curve (0.5, 1), 3: 8; pre (0.5, 1); post held, }
    double xformOp:translateX.timeSamples = { 1: 0, 4: 10 }
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    string said = "a string that is longer than what fits inside"
    asset file = @./picture.png@
    asset wordy = @`"./${WORD}.png"`@
    rel to = [</World/One>, </World/Two>]
    double from.connect = </World/Curve.a>
  }
}
def "Clips" ( clips = { dictionary default = {
    string templateAssetPath = "./clip.#.usda"
    double templateStartTime = 1
    double templateEndTime = 4
    double templateStride = 1
    asset manifestAssetPath = @./manifest.usda@
    string primPath = "/C"
  } }
) {
  double x
  over "Child" {
    point3f[] points
  }
}
def "Bare" ( clips = { dictionary default = {
    asset[] assetPaths = [@./clip.1.usda@, @./clip.2.usda@, @./gone.usda@]
    double2[] active = [(1, 0), (2, 1), (3, 2)]
    double2[] times = [(1, 1), (2, 2), (3, 3)]
    string primPath = "/C"
    bool interpolateMissingClipValues = true
  } }
) {
  double x
}
def PointInstancer "Instancer" {
  int[] protoIndices = [0, 1, 0]
  int64[] invisibleIds = [1]
  point3f[] positions.timeSamples = { 1: [(0, 0, 0), (1, 0, 0), (2, 0, 0)], 4: [(0, 5, 0), (1, 5, 0), (2, 5, 0)] }
  vector3f[] velocities = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
  rel prototypes = [</Instancer/A>, </Instancer/B>]
  def Sphere "A" {
    double radius = 2
  }
  def Cube "B" (
    references = @./model.usda@</Model/Geo>
  ) {
  }
}
)";

constexpr const char* kLook = R"(#usda 1.0
over "World" {
  token visibility.timeSamples = { 0: "inherited", 3: "invisible" }
  over "Curve" {
    double b.timeSamples = { 0: 1, 1: 2, 3: 5 }
  }
}
)";

constexpr const char* kOver = R"(#usda 1.0
( subLayers = [@./deeper.usda@] )
over "World" {
  custom string which = "b"
}
)";

constexpr const char* kModel = R"(#usda 1.0
( defaultPrim = "Model" )
class "_class_Model" {
  color3f[] primvars:displayColor = [(1, 0, 0)]
}
def Xform "Model" (
  inherits = </_class_Model>
  kind = "component"
  variants = { string look = "blue" }
  prepend variantSets = ["look"]
) {
  uniform token model:drawMode = "cards"
  uniform asset model:cardTextureXPos = @./card.png@
  matrix4d constraintTargets:hand = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1))
  def Mesh "Geo" (
    prepend apiSchemas = ["MaterialBindingAPI"]
  ) {
    float3[] extent = [(0, 0, 0), (1, 1, 0)]
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
    point3f[] points.timeSamples = {
      1: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)],
      4: [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], }
    float[] primvars:w = [4, 5] (
      interpolation = "vertex"
    )
    int[] primvars:w:indices = [1, 0, 1, 0]
    rel material:binding = </Model/Material>
  }
  def Sphere "Ball" {
    double radius = 3
  }
  def Material "Material" {
    color3f inputs:tint = (1, 0, 0)
    token outputs:surface.connect = </Model/Material/Paint.outputs:out>
    def Shader "Paint" {
      uniform token info:id = "UsdPreviewSurface"
      color3f inputs:diffuseColor.connect = </Model/Material.inputs:tint>
      asset inputs:file = @./tint.png@
      float inputs:lost.connect = </Model/Gone.outputs:out>
      token outputs:out
    }
  }
  variantSet "look" = {
    "blue" {
      double tint = 1
    }
    "red" (
      payload = @./heavy.usda@</Heavy>
    ) {
      double tint = 2
      def Cube "Extra" {
      }
    }
  }
}
)";

constexpr const char* kHeavy = R"(#usda 1.0
def Xform "Heavy" (
  references = </Inner>
) {
  double weight = 1000
  uniform token purpose = "render"
  def Cylinder "Part" {
    double height = 3
  }
}
def "Inner" {
  string inside = "what is inside of the heavy one"
  def Cone "Deep" {
  }
}
)";

constexpr const char* kCrate = R"(#usda 1.0
def Xform "Crate" {
  double side.timeSamples = { 1: 1, 2: 4, 3: 9 }
  float[] many = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
  token[] names = ["one", "two", "three and a bit more than that"]
  def Points "Cloud" {
    point3f[] points = [(0, 0, 0), (1, 2, 3)]
  }
}
)";

constexpr const char* kSkel = R"(#usda 1.0
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
%
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations.timeSamples = { 0: [(0, 2, 0)], 10: [(0, 4, 0)] }
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
    uniform token[] blendShapes = ["Big"]
    float[] blendShapeWeights = [0.5]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
    normal3f[] normals = [(0, 1, 0), (0, 1, 0)] (
      interpolation = "vertex"
    )
    uniform token[] skel:joints = ["a/b", "a"]
    uniform token[] skel:blendShapes = ["Big"]
    rel skel:blendShapeTargets = </C/M/Big>
    int[] primvars:skel:jointIndices = [1, 0] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
    def BlendShape "Big" {
      uniform vector3f[] offsets = [(1, 0, 0), (0, 0, 1)]
    }
  }
}
)";

std::string Clip(int frame) {
  return Concat(R"(#usda 1.0
def "C" {
  double x.timeSamples = { )",
                frame, ": ", 10 * frame, R"( }
  def "Child" {
    point3f[] points.timeSamples = { )",
                frame, ": [(", frame, R"(, 0, 0)] }
  }
}
)");
}

}  // namespace

std::vector<SceneFile> MixedScene() {
  std::string skel = kSkel;
  skel.replace(skel.find('%'), 1, kTwoJoints);
  std::string root = kRoot;
  root.replace(root.find("@./look.usda@"), 0, "@./skel.usda@, ");
  std::vector<SceneFile> files = {
      {"root.usda", root},
      {"skel.usda", skel},
      {"look.usda", kLook},
      {"over_b.usda", kOver},
      {"deeper.usda", "#usda 1.0\nover \"World\" {\n  custom double deep = 1\n}\n"},
      {"model.usda", kModel},
      {"heavy.usda", kHeavy},
      {"crate.usda", kCrate},
      {"manifest.usda",
       "#usda 1.0\ndef \"C\" {\n  double x\n  def \"Child\" {\n    point3f[] points\n  }\n}\n"}};
  for (int frame = 1; frame <= 4; ++frame) {
    files.push_back({Concat("clip.", frame, ".usda"), Clip(frame)});
  }
  return files;
}

}  // namespace stagedoor::server
