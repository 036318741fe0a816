#include <string>
#include <utility>
#include <vector>

#include "tests/server/rich_scene.h"

namespace stagedoor::server {
namespace {

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

// The digest of /Long.zeros.
constexpr const char* kLongDigest =
    R"(\305\330\133\141\130\236\341\234\222\067\054\233\175\126\001\305)"
    R"(\377\377\377\377\377\377\377\377\000\002\000\000\000\000\000\000)";

// The digest of the network of /Shaded/Base.
constexpr const char* kBaseDigest =
    R"(\257\125\160\365\241\201\013\172\367\214\257\113\307\012\146\017)"
    R"(\377\377\377\377\377\377\377\377\000\000\000\000\000\000\000\000)";

}  // namespace

std::vector<std::pair<std::string, std::string>> RichRequests() {
  const std::string stage = "stage { handle: \"$STAGE\" } ";
  const std::string source = "source { " + stage + "} ";
  const std::string at = kAt;
  const std::string policy =
      "sample_policy { shutter_open: -0.5 shutter_close: 0.5 max_samples: 2 with_sources: true } ";
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
      {"GeomService.ComputeTransforms",
       at + R"(paths: "/World/Geo" paths: "/Viewer" allow_blocks: true)"},
      {"GeomService.ComputeVisibility",
       at + R"(paths: "/World/Geo" paths: "/World/Odd" paths: "/None" paths: "/World/Full"
               effective_purposes: PURPOSE_RENDER with_proxy_prims: true)"},
      {"GeomService.ComputeBounds", at + R"(paths: "/World/Geo" paths: "/None")"},
      {"GeomService.ComputeBounds",
       at + R"(paths: "/World/Points" instance_indices: 0 with_boxes: true
               with_extents_hints: true)"},
      {"GeomService.ComputeCameras",
       at + R"(paths: "/World/Eye" paths: "/World/Geo" aspect_ratio: 2 conform_policy: 2)"},
      {"GeomService.GetPrimvars", at + R"(paths: "/World/Geo" paths: "/None")"},
      {"GeomService.ComputePoints", at + R"(paths: "/World/Moving" paths: "/None")"},
      {"GeomService.ComputeModels",
       at + R"(paths: "/World/Cards" paths: "/None" with_constraint_targets: true)"},
      {"GeomService.ComputeSubsets",
       at + R"(paths: "/World/Parts" paths: "/None" with_unassigned_indices: true
               with_problems: true)"},
      {"GeomService.ComputeTopology",
       at +
           R"(paths: "/World/Parts" paths: "/Tets" paths: "/Curves" paths: "/Hermite" paths: "/None"
               with_surface_faces: true with_inverted_elements: true with_segment_counts: true
               with_tangents: true with_problems: true data_sizes: 2)"},
      {"GeomService.ComputeInstanceTransforms",
       at + R"(paths: "/World/Points" paths: "/None" with_ids: true)"},
      {"GeomService.ComputeInstanceTransforms", at + R"(paths: "/World/Points" ignore_mask: true)"},
      {"GeomService.ComputeTransforms", at + policy + R"(paths: "/World/Swinging" paths: "/None")"},
      {"GeomService.ComputeCameras", at + policy + R"(paths: "/World/Swinging/Lens")"},
      {"GeomService.GetPrimvars", at + policy + R"(paths: "/World/Swinging/Dust")"},
      {"GeomService.ComputePoints", at + policy + R"(paths: "/World/Swinging/Dust")"},
      {"GeomService.ComputeInstanceTransforms", at + policy + R"(paths: "/World/Points")"},
      {"SkelService.ComputeSkinnedPoints", at + policy + R"(paths: "/C/M")"},
      {"SkelService.ComputeSkinning", at + policy + R"(paths: "/C/M")"},
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
      {"LuxService.ExplainLightLink", stage + R"(light: "/Lit/Dome" path: "/Lit")"},
      {"LuxService.ExplainLightLink",
       stage + R"(light: "/Lit/Filter" path: "/Lit" link: LIGHT_LINK_FILTER)"},
      {"PhysicsService.ComputeCollisionGroups",
       stage + R"(paths: "/Colliding" paths: "/Falling" paths: "/None")"},
      {"PhysicsService.ComputeMassProperties",
       stage + R"(paths: "/Falling" paths: "/None" with_colliders: true)"},
      {"QueryService.ComputeMembership",
       stage + R"(paths: "/World/Cube" paths: "/None" collections: "/World.collection:rules")"},
      {"QueryService.ComputeStageStatistics", stage},
      {"GeomService.ComputeLevelsOfDetail",
       at + R"(paths: "/Detailed" paths: "/None" camera: "/Viewer" domain: "ZQZ")"},
      {"QueryService.ComputeLabels", at + R"(paths: "/Painted" paths: "/None")"},
      {"ShadeService.ComputeCoordSysBindings", stage + R"(paths: "/Painted" paths: "/None")"},
      {"ShadeService.ComputeColorSpaces",
       stage + R"(paths: "/Painted" paths: "/Painted/Odd" paths: "/None")"},
      {"RenderService.ComputeVolumeFields", at + R"(paths: "/Smoke" paths: "/None")"},
      {"RenderService.ComputeRenderSettings", stage},
      {"RenderService.ComputeRenderSettings",
       stage + R"(paths: "/Rendered" paths: "/None" namespaces: "ri")"},
      {"RenderService.ComputeRenderPasses", stage + R"(paths: "/Lit" paths: "/None")"},
      {"FrameService.ExtractFrame", stage + "time { numeric: 2 } " + policy +
                                        R"(selection { render_pass: "/Pass" render_contexts: "ri" }
                                           digest_options {})"},
      {"FrameService.ExtractFrame",
       stage +
           R"(time { default_time {} } selection { roots: "/World" render_settings: "/Rendered" }
                  changes_between_snapshots: true)"},
      {"FrameService.ComputeFrameFingerprint", stage + "time { numeric: 2 } " + policy},
      {"FrameService.ExportFrame", stage + "time { numeric: 2 } " + policy +
                                       R"(selection { render_pass: "/Pass" }
                                          format: LAYER_FORMAT_USDA)"},
      {"SkelService.ListSkelBindings", stage},
      {"SkelService.ComputeJointTransforms",
       at + R"(paths: "/C/Skel" paths: "/C/M" paths: "/None")"},
      {"SkelService.ComputeSkinnedPoints",
       at +
           R"(paths: "/C/M" paths: "/C/Rigid" paths: "/C/Unfit" paths: "/World/Cube" with_normals: true
               with_joints: true)"},
      {"SkelService.ComputeSkinning",
       at +
           R"(paths: "/C/M" paths: "/C/Rigid" paths: "/C/Unfit" paths: "/World/Cube" digest_options {})"},
      {"SkelService.ComputeSkinning",
       stage + R"(paths: "/C/M" times { frames: 1 times { default_time {} } }
               with_packed_shapes: true)"},
      {"LayersService.ReadLayer", R"(identifier: "/root.usd")"},
      {"LayersService.ReadLayer", R"(identifier: "/fields.usd")"},
      {"LayersService.ReadLayer", R"(identifier: "/nowhere.usd")"},
      {"LayersService.ReadAsset", R"(asset_path: "./weak.usd" anchor: "/root.usd")"},
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
