#include "tests/server/rich_scene.h"

#include "scene/testing/skeleton_text.h"

namespace stagedoor::server {
namespace {

constexpr const char* kRoot = R"((
    doc = "ZQZ doc"
    defaultPrim = "World"
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
    def "Inst2" ( instanceable = true; references = @./weak.usd@</Asset> ) {}
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
    def Xform "Full" {
        uniform token purpose = "render"
        rel proxyPrim = </World/Box>
    }
    def Cube "Box" {
        uniform token purpose = "proxy"
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
        def Cube "B" {}
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

constexpr const char* kLit = R"(
def Xform "Lit" {
    def DomeLight "Dome" {
        rel light:filters = </Lit/Filter>
        rel portals = </Lit/Portal>
    }
    def LightFilter "Filter" {
    }
    def PortalLight "Portal" {
    }
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

constexpr const char* kAllFields = R"(
    read_mask { paths: "*" }
    times { frames: 1 frames: 3 times { default_time {} } }
)";

constexpr const char* kAt = R"(stage { handle: "$STAGE" } times { frames: 2 frames: 6 } )";

std::string Values() {
  std::string paths;
  for (const char* name :
       {"x",    "blocked", "animated", "s",     "edit",  "unknown", "word",   "text", "file",
        "here", "said",    "words",    "texts", "files", "where",   "wheres", "b",    "uc",
        "i",    "u",       "l",        "ul",    "h",     "f",       "t",      "du",   "ts",
        "v",    "va",      "q",        "m",     "to",    "odd",     "none"}) {
    paths += std::string("paths: \"/World/Values.") + name + "\" ";
  }
  return paths + "paths: \"/World/Clips.c\" ";
}

// A prim with an array that is large enough for a digest, and that digest.
std::string LongArray() {
  std::string numbers = "0";
  for (int i = 1; i < 512; ++i) numbers += ", 0";
  return "def \"Long\" { int[] zeros = [" + numbers + "]; }\n";
}
constexpr const char* kLongDigest =
    R"(\305\330\133\141\130\236\341\234\222\067\054\233\175\126\001\305)"
    R"(\377\377\377\377\377\377\377\377\000\002\000\000\000\000\000\000)";

// The digest of the network of /Shaded/Base.
constexpr const char* kBaseDigest =
    R"(\257\125\160\365\241\201\013\172\367\214\257\113\307\012\146\017)"
    R"(\377\377\377\377\377\377\377\377\000\000\000\000\000\000\000\000)";

}  // namespace

std::vector<std::pair<std::string, std::string>> RichLayers() {
  return {{"weak.usd", kWeak},
          {"ZQZ_weak.usd", kNamedOddly},
          {"ZQZ_clip.usd", kClip2},
          {"ZQZ.png", ""},
          {"clip1.usd", kClip1},
          {"clip2.usd", kClip2},
          {"fields.usd", kFields},
          {"root.usd",
           std::string(kRoot) + kSkeleton + kTwoJoints + "}\n" + kShaded + kLit + LongArray()}};
}

std::vector<std::pair<std::string, std::string>> RichRequests() {
  const std::string stage = "stage { handle: \"$STAGE\" } ";
  const std::string source = "source { " + stage + "} ";
  const std::string at = kAt;
  return {
      {"StagesService.GetStage", stage + R"(details: STAGE_DETAIL_METADATA
           details: STAGE_DETAIL_USED_LAYERS details: STAGE_DETAIL_COMPOSITION_ERRORS)"},
      {"StagesService.ListStages", "page_size: 1"},
      {"StagesService.RenewLease", R"(handle: "$STAGE")"},
      {"QueryService.GetPrim", stage + R"(path: "/World/Values" )" + kAllFields},
      {"QueryService.GetPrim", stage + R"(path: "/World/Nowhere")"},
      {"QueryService.Traverse",
       stage + "predicate { preset: PRESET_ALL instance_proxies: true }" + kAllFields},
      {"QueryService.Traverse", stage + "predicate { preset: PRESET_ALL }"},
      {"QueryService.DefinePaths", Values()},
      {"QueryService.BatchGetValues", at + "with_sources: true " + Values()},
      {"QueryService.BatchGetValues", stage + "times { times { default_time {} } } " + Values()},
      {"QueryService.BatchGetValues",
       at + R"(paths: "/Long.zeros" digest_options { known: ")" + kLongDigest + "\" }"},
      {"QueryService.SampleValues",
       stage + "intervals { start: 1.5 end: 6 } intervals {} " + Values()},
      {"QueryService.StreamValues", at + Values()},
      {"QueryService.ListTimeSamples", stage + Values()},
      {"QueryService.StreamTimeSamples", stage + Values()},
      {"QueryService.GetBracketingTimeSamples", stage + "times: 2 " + Values()},
      {"QueryService.Explain", at + R"(path: "/World/Values.x")"},
      {"QueryService.Explain", at + R"(path: "/World/Values.odd")"},
      {"QueryService.Explain",
       stage + R"(path: "/World/Values.x" times { times { default_time {} } times { earliest {} }
                  times { pre_time: 2 } })"},
      {"QueryService.Explain", at + R"(path: "/World/Clips.c")"},
      {"QueryService.Explain",
       stage + R"(path: "/Long.zeros" times { times { default_time {} } })"},
      {"QueryService.Explain", at + R"(path: "/World/Ref.y")"},
      {"QueryService.Explain", at + R"(path: "/World/Ref")"},
      {"QueryService.ListCollections", stage},
      {"GeomService.ComputeTransforms",
       at + R"(paths: "/World/Geo" paths: "/None" with_local: true)"},
      {"GeomService.ComputeVisibility",
       at + R"(paths: "/World/Geo" paths: "/World/Odd" paths: "/None" paths: "/World/Full"
               effective_purposes: PURPOSE_RENDER with_proxy_prims: true)"},
      {"GeomService.ComputeBounds", at + R"(paths: "/World/Geo" paths: "/None")"},
      {"GeomService.ComputeCameras",
       at + R"(paths: "/World/Eye" paths: "/World/Geo" aspect_ratio: 2 conform_policy: 2)"},
      {"GeomService.GetPrimvars", at + R"(paths: "/World/Geo" paths: "/None")"},
      {"GeomService.ComputePoints", at + R"(paths: "/World/Moving" paths: "/None")"},
      {"GeomService.ComputeInstanceTransforms",
       at + R"(paths: "/World/Points" paths: "/None" with_ids: true)"},
      {"GeomService.ComputeInstanceTransforms", at + R"(paths: "/World/Points" ignore_mask: true)"},
      {"ShadeService.ComputeBoundMaterials",
       stage + R"(paths: "/Shaded" paths: "/None" purposes: "" purposes: "full"
                  with_bindings: true)"},
      {"ShadeService.ExplainBinding", stage + R"(path: "/Shaded" purpose: "full")"},
      {"ShadeService.ComputeMaterialNetworks",
       at + R"(paths: "/Shaded/Look" paths: "/Shaded" paths: "/None" render_contexts: "ri"
               digest_options {})"},
      {"ShadeService.ComputeMaterialNetworks", at + R"(paths: "/Shaded/Look" as_graph: true)"},
      {"ShadeService.ComputeMaterialNetworks",
       at + R"(paths: "/Shaded/Base" digest_options { known: ")" + kBaseDigest + "\" }"},
      {"LuxService.ListLights", stage + R"(root: "/Lit" render_contexts: "ri")"},
      {"LuxService.ComputeLightSets", stage + R"(paths: "/Lit" paths: "/None")"},
      {"SkelService.ListSkelBindings", stage},
      {"SkelService.ComputeJointTransforms",
       at + R"(paths: "/C/Skel" paths: "/C/M" paths: "/None")"},
      {"SkelService.ComputeSkinnedPoints",
       at +
           R"(paths: "/C/M" paths: "/C/Rigid" paths: "/C/Unfit" paths: "/World/Cube" with_normals: true
               with_joints: true)"},
      {"LayersService.ReadLayer", R"(identifier: "/root.usd")"},
      {"LayersService.ReadLayer", R"(identifier: "/fields.usd")"},
      {"LayersService.ReadLayer", R"(identifier: "/nowhere.usd")"},
      {"LayersService.ConvertLayer", R"(identifier: "/weak.usd" format: LAYER_FORMAT_USDA)"},
      {"LayersService.ValidateLayer", R"(identifier: "/root.usd")"},
      {"LayersService.FlattenStage", source + "format: LAYER_FORMAT_USDA"},
      {"LayersService.StitchClips",
       R"(clips: "/clip1.usd" clips: "/clip2.usd" output: "/out.usda" clip_path: "/C")"},
      {"LayersService.GenerateClipManifest",
       R"(clip_layers { clips: "/clip1.usd" clip_path: "/C" } format: LAYER_FORMAT_USDA)"},
      {"LayersService.GenerateClipManifest",
       "clip_set { stage { " + stage + R"(} prim_path: "/World/Clips" })"},
      {"LayersService.ListDependencies", source},
      {"LayersService.LocalizeStage", source},
      {"CacheService.PrefetchClips",
       stage + R"(paths: "/World/Clips" interval { start: 1 end: 10 })"},
      {"StagesService.WarmStage", source + "interval { start: 1 end: 10 }"},
      {"StagesService.WarmStage", source + R"(prim_paths: "/World" prim_paths: "/None")"},
      {"ServerService.GetCapabilities", ""},
      {"CacheService.GetCacheStatistics", "with_layers: true"},
      {"ServerService.GetServerStatistics", ""},
      {"StagesService.SetSessionLayer",
       stage + "session_layer { content: \"#usda 1.0\\nover \\\"World\\\" {}\\n\" }"},
      {"SessionsService.EditStage",
       stage + R"(edits { define_prim { path: "/Edited" type_name: "Sphere" } }
          edits { set_value { path: "/Edited.radius" value { double_value: 2 } } })"},
      {"SessionsService.ExportSessionLayer", stage},
      {"SessionsService.WatchStage",
       R"(stage { handle: "$STAGE" snapshot: "of long ago" } paths: "/World")"},
      {"StagesService.LoadPrims", stage + R"(paths: "/World/Ref")"},
      {"StagesService.UnloadPrims", stage + R"(paths: "/World/Ref")"},
      {"StagesService.MuteLayers", stage + R"(mute: "/weak.usd")"},
      {"StagesService.ReloadStage", stage},
  };
}

}  // namespace stagedoor::server
