#include "tests/server/rich_scene.h"

#include "scene/testing/skeleton_text.h"

namespace stagedoor::server {
namespace {

constexpr const char* kRoot = R"((
    doc = "ZQZ doc"
    defaultPrim = "World"
    renderSettingsPrimPath = "/Rendered"
    startTimeCode = 1
    endTimeCode = 10
    timeCodesPerSecond = 25
    framesPerSecond = 25
    subLayers = [@./weak.usd@ (offset = 2; scale = 2), @./ZQZ_weak.usd@, @./ZQZ_missing.usd@]
    expressionVariables = { string NAME = "ZQZ" }
    relocates = { </World/Ref/Old>: </World/Ref/New>, </World/Ref/Gone>: <> }
    customLayerData = {
        string "ZQZ key" = "ZQZ value"
        dictionary "ZQZ inner" = { token "ZQZ leaf" = "ZQZ" }
    }
)
def Xform "World" (
    kind = "group"
    doc = "ZQZ doc"
    assetInfo = { asset identifier = @./ZQZ.usd@ }
    customData = {
        bool b = 1
        uchar uc = 2
        int i = -3
        uint u = 4
        int64 l = -5
        uint64 ul = 6
        half h = 7
        float f = 8
        double d = 9
        timecode t = 10
        string s = "ZQZ"
        token n = "ZQZ"
        asset a = @./ZQZ.png@
        float3 v = (1, 2, 3)
        float3[] va = [(1, 2, 3)]
        string[] sa = ["ZQZ"]
        token[] na = ["ZQZ"]
        asset[] aa = [@./ZQZ.png@]
    }
    prepend apiSchemas = ["CollectionAPI:rules", "CollectionAPI:words", "ZQZApi"]
    prepend variantSets = ["look"]
    variants = { string look = "red" }
) {
    uniform token collection:rules:expansionRule = "explicitOnly"
    rel collection:rules:includes = [</World/Cube>, </World/Ref>]
    uniform pathExpression collection:words:membershipExpression = "/World/C*"
    variantSet "look" = { "red" {
        double shade = 1
    } "blue" {} }
    def Cube "Cube" ( kind = "component" ) { 
        token purpose = "render"
    }
    def "Values" (
        inherits = </Base>
        specializes = </Base>
        permission = private
    ) {
        double x = 5
        double x.timeSamples = { 1: 10, 3: 30, 5: None }
        double blocked = None
        double animated = AnimationBlock
        double s.spline = { hermite, pre: loop repeat, post: sloped(1), loop: (1, 2, 3, 4, 5),
            1: 2 & 3; pre (1, autoEase); post curve (4, autoEase), 5: 6; post linear; { string "ZQZ" = "ZQZ" }, }
        int[] edit = edit [append 1]
        ZQZtype unknown
        custom uniform token word = "ZQZ" ( doc = "ZQZ doc"; displayName = "ZQZ" )
        string text = "ZQZ text"
        asset file = @./ZQZ.png@
        asset here = @./weak.usd@
        asset said = @`"./${NAME}.usd"`@
        token[] words = ["ZQZ", "b"]
        string[] texts = ["ZQZ"]
        asset[] files = [@./ZQZ.png@]
        pathExpression where = "/ZQZ*"
        pathExpression[] wheres = ["/ZQZ*"]
        bool b = 1
        uchar uc = 2
        int i = -3
        uint u = 4
        int64 l = -5
        uint64 ul = 6
        half h = 7
        float f = 8
        timecode t = 10
        duration du = 3
        timecode ts.spline = { bezier, 1: 2; post held, }
        float3 v = (1, 2, 3)
        float3[] va = [(1, 2, 3)]
        quatf q = (1, 0, 0, 0)
        matrix4d m = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
        prepend double x.connect = </World/Values.text>
        rel to = [</World/Values.on>, </World/Cube>]
        rel on = </World/Cube>
        double clipped
    }
    def "Ref" (
        prepend references = @./weak.usd@</Asset> (offset = 3; scale = 2; customData = { string "ZQZ" = "ZQZ" })
        append payload = @./weak.usd@</Asset> (offset = 3)
        delete references = @./ZQZ_gone.usd@</Asset>
    ) {}
    def "Inst1" ( instanceable = true; references = @./weak.usd@</Asset> ) {}
    def "Inst2" (
        kind = "component"
        assetInfo = { string name = "ZQZ" }
        instanceable = true
        references = @./weak.usd@</Asset>
    ) {}
    def "Broken" ( references = @./ZQZ_missing.usd@</A> ) {}
    def "Model" ( kind = "ZQZkind"; active = false; payload = @./weak.usd@</Asset> ) {}
    over "Over" {}
    def Cube "Odd" {
        token purpose = "ZQZpurpose"
    }
    def ZQZType "Typed" ( hidden = true ) {}
    def Xform "Geo" {
        token visibility.timeSamples = { 1: "inherited", 5: "invisible" }
        double3 xformOp:translate = (0, 1, 0)
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
        float[] primvars:w = [4, 5] ( interpolation = "ZQZ"; elementSize = 2 )
        int[] primvars:w:indices = [1, 0, 1]
        token[] primvars:t = ["ZQZ"]
        def Sphere "Ball" {}
    }
    def Points "Moving" {
        point3f[] points = [(1, 2, 3)]
    }
    def Xform "Swinging" {
        double xformOp:translateX.timeSamples = { 0: 0, 2: 1, 6: 2, 10: 3 }
        uniform token[] xformOpOrder = ["xformOp:translateX"]
        def Camera "Lens" {}
        def Points "Dust" {
            point3f[] points.timeSamples = { 0: [(1, 2, 3)], 10: [(4, 5, 6)] }
            float[] primvars:heat.timeSamples = { 0: [1], 2: [1.5], 10: [2] }
        }
    }
    def Xform "Full" {
        uniform token purpose = "render"
        rel proxyPrim = </World/Box>
    }
    def Cube "Box" {
        uniform token purpose = "proxy"
    }
    def Xform "Cards" (
        kind = "component"
        apiSchemas = ["GeomModelAPI"]
    ) {
        uniform token model:drawMode = "ZQZ"
        uniform bool model:applyDrawMode = true
        uniform asset model:cardTextureXPos = @./ZQZ.png@
        matrix4d constraintTargets:hand = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1)) (
            constraintTargetIdentifier = "ZQZ"
        )
    }
    def Mesh "Parts" {
        int[] faceVertexCounts = [3, 3]
        float[] primvars:w = [4, 5, 6, 7] ( interpolation = "ZQZ"; elementSize = 2 )
        int[] primvars:w:indices = [1, 0, 1]
        def GeomSubset "Some" {
            int[] indices = [0, 7]
            uniform token familyName = "ZQZ"
        }
        def GeomSubset "Bound" (
            prepend apiSchemas = ["MaterialBindingAPI"]
        ) {
            int[] indices = [1]
            uniform token familyName = "materialBind"
            rel material:binding = </Ice>
        }
    }
    def Xform "Boxed" (
        kind = "component"
        apiSchemas = ["GeomModelAPI"]
    ) {
        uniform token model:drawMode = "bounds"
        uniform bool model:applyDrawMode = true
    }
    def Camera "Eye" {
        float4[] clippingPlanes = [(1, 0, 0, 5)]
        uniform token stereoRole = "ZQZ"
    }
    def PointInstancer "Points" {
        int[] protoIndices = [0, 1, 0]
        int64[] ids = [5, 6, 7]
        int64[] invisibleIds = [6]
        point3f[] positions = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
        rel prototypes = [</World/Points/A>, </World/Points/B>]
        def Sphere "A" {}
        def Cube "B" {
            double xformOp:translateX.timeSamples = { 0: 0, 10: 1 }
            uniform token[] xformOpOrder = ["xformOp:translateX"]
        }
    }
    def PointInstancer "Askew" {
        int[] protoIndices = [0, 0]
        point3f[] positions = [(0, 0, 0)]
        rel prototypes = </World/Points/A>
    }
    def "Clips" (
        clips = { dictionary default = {
            asset[] assetPaths = [@./clip1.usd@, @./clip2.usd@, @./ZQZ_clip.usd@, @./ZQZ_none.usd@]
            double2[] active = [(1, 0), (4, 1), (5, 2), (9, 3)]
            double2[] times = [(1, 0), (10, 9)]
            asset manifestAssetPath = @./clip1.usd@
            string primPath = "/C"
        } }
    ) {
        double c
    }
}
class "Base" {}
class "_Class" {}
)";

constexpr const char* kSkeleton = R"(def SkelRoot "C" (
    prepend apiSchemas = ["SkelBindingAPI"]
) {
    rel skel:skeleton = </C/Skel>
    def SkelAnimation "Anim" {
        uniform token[] joints = ["a/b"]
        float3[] translations.timeSamples = { 0: [(0, 2, 0)], 10: [(0, 4, 0)] }
        quatf[] rotations = [(1, 0, 0, 0)]
        half3[] scales = [(1, 1, 1)]
        uniform token[] blendShapes = ["ZQZshape"]
        float[] blendShapeWeights = [1]
    }
    def Mesh "M" (
        prepend apiSchemas = ["SkelBindingAPI"]
    ) {
        point3f[] points = [(0, 1, 0), (0, 3, 0)]
        normal3f[] normals = [(0, 1, 0), (0, 1, 0)] ( interpolation = "vertex" )
        uniform token[] skel:joints = ["a/b", "a", "ZQZjoint"]
        int[] primvars:skel:jointIndices = [1, 0] ( elementSize = 1; interpolation = "vertex" )
        float[] primvars:skel:jointWeights = [1, 1] ( elementSize = 1; interpolation = "vertex" )
        uniform token[] skel:blendShapes = ["ZQZshape"]
        rel skel:blendShapeTargets = </C/M/Shape>
        def BlendShape "Shape" {
            uniform vector3f[] offsets = [(0, 0, 1)]
            uniform vector3f[] normalOffsets = [(1, 0, 0)]
            uniform vector3f[] inbetweens:half = [(0, 0, 2)] ( weight = 0.5 )
            uniform int[] pointIndices = [7]
        }
    }
    def Mesh "Unfit" (
        prepend apiSchemas = ["SkelBindingAPI"]
    ) {
        point3f[] points = [(0, 1, 0)]
        int[] primvars:skel:jointIndices = [7] ( elementSize = 1; interpolation = "vertex" )
        float[] primvars:skel:jointWeights = [1] ( elementSize = 1; interpolation = "vertex" )
    }
    def Mesh "Rigid" (
        prepend apiSchemas = ["SkelBindingAPI"]
    ) {
        point3f[] points = [(0, 1, 0)]
        int[] primvars:skel:jointIndices = [0] ( elementSize = 1; interpolation = "constant" )
        float[] primvars:skel:jointWeights = [1] ( elementSize = 1; interpolation = "constant" )
    }
)";

constexpr const char* kShaded = R"(
def Xform "Shaded" (
    prepend apiSchemas = ["CollectionAPI:all"]
) {
    rel collection:all:includes = </Shaded>
    rel material:binding:collection:c = [</Shaded.collection:all>, </Shaded/Look>] (
        bindMaterialAs = "strongerThanDescendants"
    )
    rel material:binding:full = </Shaded/Gone>
    def Material "Base" {
    }
    def Material "Look" (
        specializes = </Shaded/Base>
    ) {
        color3f inputs:tint = (1, 0, 0) (
            colorSpace = "lin_rec709_scene"
        )
        token outputs:ri:surface.connect = </Shaded/Look/Paint.outputs:out>
        def Shader "Paint" {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </Shaded/Look.inputs:tint>
            float inputs:roughness.connect = </Shaded/Look/Noise.outputs:out>
            float inputs:opacity.connect = </Shaded/Look/Grain.outputs:out>
            float inputs:lost.connect = </Shaded/Look/Gone.outputs:out>
            token outputs:out
        }
        def Shader "Noise" {
            uniform token info:implementationSource = "sourceAsset"
            uniform asset info:osl:sourceAsset = @noise.oso@
            uniform token info:osl:sourceAsset:subIdentifier = "perlin"
            float inputs:scale.timeSamples = { 1: 1, 5: 2 }
            float outputs:out
        }
        def Shader "Grain" {
            uniform token info:implementationSource = "sourceCode"
            uniform string info:glslfx:sourceCode = "void main() {}"
            float outputs:out
        }
    }
}
)";

constexpr const char* kRendered = R"(
def RenderSettings "Rendered" {
    rel camera = </World/Eye>
    rel products = [</Rendered/Image>, </World>]
    token renderingColorSpace = "ZQZ space"
    int ri:samples = 5
    def RenderProduct "Image" {
        token productName = "ZQZ.exr"
        bool disableMotionBlur = true
        bool disableDepthOfField = true
        bool instantaneousShutter = true
        rel orderedVars = [</Rendered/Depth>, </Rendered/Ci>]
        string ri:note = "ZQZ"
    }
    def RenderVar "Ci" {
        string sourceName = "ZQZ"
        int ri:filter = 3
    }
    def RenderVar "Depth" {}
}
def Volume "Smoke" {
    rel field:density = </Smoke/Density>
    def OpenVDBAsset "Density" {
        asset filePath.timeSamples = { 1: @./weak.usd@, 2: @./clip1.usd@ }
        token fieldName = "ZQZ"
        int fieldIndex = 3
        token fieldDataType = "ZQZ"
        token fieldClass = "ZQZ"
        token fieldPurpose = "ZQZ"
    }
}
def PhysicsCollisionGroup "Colliding" {
    rel collection:colliders:includes = </Falling>
    string physics:mergeGroup = "ZQZ"
    bool physics:invertFilteredGroups = 1
    rel physics:filteredGroups = </Colliding>
}
def PhysicsCollisionGroup "Aside" {
}
def Cube "Falling" (
    prepend apiSchemas = [
        "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI",
        "MaterialBindingAPI"
    ]
) {
    rel physics:filteredPairs = </World>
    rel material:binding:physics = </Ice>
    point3f physics:centerOfMass = (1, 2, 3)
}
def Material "Ice" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
) {
    float physics:density = 917
}
def Camera "Viewer" {
    double3 xformOp:translate = (0, 0, 11)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def "Detailed" (
    prepend apiSchemas = ["LODRootAPI", "LODOverrideAPI"]
) {
    token lod:override:mode = "ZQZ"
    rel lod:heuristics = </Detailed/Heuristic>
    def LODDistanceHeuristic "Heuristic" {
        uniform token lod:domain = "ZQZ"
        uniform float[] thresholds = [1, 10]
        uniform float[] blendThresholds = [2, 12]
    }
    def "Low" {
    }
    def "Lowest" {
    }
}
def "Painted" (
    prepend apiSchemas = [
        "CoordSysAPI:paint", "ColorSpaceAPI", "ColorSpaceDefinitionAPI:own", "SemanticsLabelsAPI:style"
    ]
) {
    rel coordSys:paint:binding = </World>
    token[] semantics:labels:style = ["ZQZ"]
    uniform token colorSpace:name = "ZQZ"
    token colorSpaceDefinition:own:name = "ZQZ"
    float colorSpaceDefinition:own:linearBias = 2
    def "Odd" (
        prepend apiSchemas = ["ColorSpaceAPI"]
    ) {
        uniform token colorSpace:name = "odd"
    }
}
def RenderPass "Pass" {
    token passType = "ZQZ"
    string[] command = ["ZQZ"]
    asset fileName = @./weak.usd@
    rel renderSource = </Rendered>
    rel inputPasses = </Pass>
    string ri:note = "ZQZ"
}
)";

constexpr const char* kLit = R"(
def Xform "Lit" {
    def DomeLight "Dome" {
        rel light:filters = </Lit/Filter>
        rel portals = </Lit/Portal>
    }
    def LightFilter "Filter" {
        uniform bool collection:filterLink:includeRoot = false
        uniform pathExpression collection:filterLink:membershipExpression = "//"
    }
    def PortalLight "Portal" {
    }
    def Mesh "Glow" (
        prepend apiSchemas = ["MeshLightAPI", "MaterialBindingAPI"]
    ) {
        rel material:binding = </Ice>
    }
}
)";

constexpr const char* kShapes = R"(
def TetMesh "Tets" {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int4[] tetVertexIndices = [(0, 1, 3, 2)]
}
def BasisCurves "Curves" { int[] curveVertexCounts = [4]; }
def HermiteCurves "Hermite" {
    point3f[] points = [(0, 1, 0)]
    vector3f[] tangents = [(0, 1, 0)]
}
)";

constexpr const char* kWeak = R"((
    expressionVariables = { string NAME = "ZQZ" }
)
def Xform "Asset" {
    double y.timeSamples = { 1: 1, 5: 5 }
    def "Old" {}
    def "Gone" {}
}
over "World" {
    over "Values" {
        double x = 3
    }
}
)";

constexpr const char* kNamedOddly = R"(over "World" {
    over "Values" {
        double x = 4
        double odd.timeSamples = { 1: 1, 5: 5 }
    }
    def "FromOdd" {}
}
)";

constexpr const char* kClip1 = R"(def "C" {
    double c.timeSamples = { 0: 1, 4: 5 }
}
)";
constexpr const char* kClip2 = R"(def "C" {
    double c.timeSamples = { 4: 1, 8: 5 }
}
)";

// Fields that a layer may have but a stage does not expose unchanged.
constexpr const char* kFields = R"(def "P" (
    variantSets = ["set"]
    delete variantSets = "set"
    append variantSets = "other"
    add inherits = </B>
    reorder specializes = [</B>, </A>]
    ZQZfield = "ZQZ unregistered"
) {
    variantSet "set" = { "variant" {
        int q
    } }
    reorder nameChildren = ["A", "B"]
    reorder properties = ["ZQZ", "b"]
    rel r = [</B>, </A.b>]
    int a.timeSamples = { 1: None, 2: 3 }
}
)";

// A prim with an array that is large enough for a digest.
std::string LongArray() {
  std::string numbers = "0";
  for (int i = 1; i < 512; ++i) numbers += ", 0";
  return "def \"Long\" { int[] zeros = [" + numbers + "]; }\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> RichLayers() {
  return {{"weak.usd", kWeak},
          {"ZQZ_weak.usd", kNamedOddly},
          {"ZQZ_clip.usd", kClip2},
          {"ZQZ.png", ""},
          {"clip1.usd", kClip1},
          {"clip2.usd", kClip2},
          {"fields.usd", kFields},
          {"root.usd", std::string(kRoot) + kSkeleton + kTwoJoints + "}\n" + kShaded + kLit +
                           kRendered + kShapes + LongArray()}};
}

}  // namespace stagedoor::server
