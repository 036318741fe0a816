#include "server/testing/mixed_requests.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <cstdlib>
#include <iterator>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;
using google::protobuf::util::MessageDifferencer;

constexpr size_t kShownDifference = 600;

#define STAGE "stage { handle: '$' } "
#define FRAMES "times { ranges: '1:4' times { default_time {} } } "
#define ALL_FIELDS            \
  "read_mask { paths: '*' } " \
  "predicate { preset: PRESET_ALL instance_proxies: true } "
#define VALUE_PATHS                                                             \
  "paths: '/Clips.x' paths: '/Clips/Child.points' paths: '/Bare.x' "            \
  "paths: '/World/Curve.a' paths: '/World/Curve.b' paths: '/World/Curve.said' " \
  "paths: '/World/Curve.wordy' paths: '/World/Moved/Geometry.points' "          \
  "paths: '/World/Light.side' paths: '/World/Light.many' "                      \
  "paths: '/World/Light.names' paths: '/World/Light.tint' "                     \
  "paths: '/World/Two/Geo.points' paths: '/World/Sure.words' paths: '/no.where' "

const MixedRequest kRequests[] = {
    {"OpenStage", "StagesService/OpenStage",
     "root_layer: '%/root.usda' session_layer { content: '#usda 1.0\\nover \"World\" {\\n}\\n' } "
     "load_rules { path: '/World/Light' rule: RULE_NONE } "
     "variant_fallbacks { variant_set: 'look' choices: 'red' } client_name: 'a client of a test'"},
    {"OpenMasked", "StagesService/OpenStage",
     "root_layer: '%/root.usda' population_mask: '/World/Moved' muted_layers: '%/look.usda'"},
    {"OpenFollowed", "StagesService/OpenStage",
     "root_layer: '%/root.usda' change_policy: CHANGE_POLICY_FOLLOW"},
    {"OpenFixed", "StagesService/OpenStage",
     "root_layer: '%/root.usda' change_policy: CHANGE_POLICY_FIXED"},
    {"GetStage", "StagesService/GetStage",
     STAGE "details: STAGE_DETAIL_METADATA details: STAGE_DETAIL_USED_LAYERS "
           "details: STAGE_DETAIL_COMPOSITION_ERRORS"},
    {"ListStages", "StagesService/ListStages", "page_size: 10", true},
    {"RenewLease", "StagesService/RenewLease", "handle: '$' lease_ttl { seconds: 60 }"},
    {"SetSessionLayer", "StagesService/SetSessionLayer",
     STAGE "session_layer { content: '#usda 1.0\\nover \"World\" {\\ndouble x = 1\\n}\\n' }"},
    {"UnloadPrims", "StagesService/UnloadPrims", STAGE "paths: '/World/Heavy'"},
    {"LoadPrims", "StagesService/LoadPrims", STAGE "paths: '/World/Heavy'"},
    {"ReloadStage", "StagesService/ReloadStage", STAGE, true},
    {"MuteLayers", "StagesService/MuteLayers", STAGE "mute: '%/look.usda' unmute: '%/other.usda'"},
    {"EditStage", "SessionsService/EditStage",
     STAGE "edits { set_value { path: '/World/Light.side' value { double_value: 2 } } } "
           "edits { set_value { path: '/World/Curve.a' time { numeric: 3 } "
           "value { double_value: 4 } } } "
           "edits { set_value { path: '/World/Curve.new' type_name: 'int3[]' custom: true "
           "value { array_value { component_type: COMPONENT_TYPE_INT32 "
           "shape: ELEMENT_SHAPE_VECTOR rows: 1 columns: 3 count: 2 "
           "data: '123412341234123412341234' } } } } "
           "edits { set_field { path: '/World/Light' name: 'hidden' value { bool_value: true } } } "
           "edits { set_field { path: '/World' name: 'customData' key_path: 'a:b' "
           "value { dictionary_value { entries { key: 'k' value { float_value: 1 } } } } } } "
           "edits { clear_value { path: '/World/Curve.b' } } "
           "edits { load_prim { path: '/World/Heavy' } }"},
    {"EditVariant", "SessionsService/EditStage",
     STAGE "target { variant_path: '/World/Light{look=red}' } "
           "edits { define_prim { path: '/World/Light/Lamp/Bulb' type_name: 'Sphere' } } "
           "edits { set_value { path: '/World/Light/Lamp/Bulb.radius' value { int_value: 3 } } } "
           "edits { select_variant { path: '/World/Light' variant_set: 'look' variant: 'blue' } } "
           "edits { set_field { path: '/World/Sure' name: 'references' value { list_op { "
           "prepended_items { reference { prim_path: '/World/Basis' } } } } } } "
           "edits { set_targets { path: '/World/Curve.to' targets { is_explicit: true "
           "explicit_items { path_value: '/World' } } } } "
           "edits { remove_spec { path: '/World/Light/Lamp' } } "
           "edits { session_layer { content: '#usda 1.0\\ndef \"New\" {\\n}\\n' } } "
           "edits { set_field { path: '/' name: 'startTimeCode' value { double_value: 2 } } } "
           "edits { mute_layer { identifier: '%/look.usda' } } "
           "edits { unload_prim { path: '/World/Heavy' } }"},
    {"ExportSessionLayer", "SessionsService/ExportSessionLayer", STAGE},
    {"WatchStage", "SessionsService/WatchStage", STAGE "paths: '/World'"},
    {"CloseStage", "StagesService/CloseStage", "handle: '$'", true},
    {"DefinePaths", "QueryService/DefinePaths", VALUE_PATHS},
    {"BatchGetValues", "QueryService/BatchGetValues",
     STAGE VALUE_PATHS FRAMES "with_sources: true"},
    {"Digests", "QueryService/BatchGetValues",
     STAGE VALUE_PATHS FRAMES "digest_options { known: 'one' known: 'another' }"},
    {"StreamValues", "QueryService/StreamValues",
     STAGE VALUE_PATHS FRAMES "stream_options { chunk_bytes: 65536 } digest_options {}"},
    {"SampleValues", "QueryService/SampleValues",
     STAGE VALUE_PATHS
     "intervals { start: 1.5 end: 3.5 } intervals { start: 9 end: 9 } intervals {} "
     "stream_options { chunk_bytes: 65536 }"},
    {"ListTimeSamples", "QueryService/ListTimeSamples",
     STAGE VALUE_PATHS "interval { start: 1 end: 4 }"},
    {"StreamTimeSamples", "QueryService/StreamTimeSamples",
     STAGE VALUE_PATHS "stream_options { shared_segments: true }"},
    {"Bracketing", "QueryService/GetBracketingTimeSamples",
     STAGE VALUE_PATHS "times: 1.5 times: 3"},
    {"GetPrim", "QueryService/GetPrim", STAGE "path: '/World/Light' " ALL_FIELDS FRAMES},
    {"GetInstance", "QueryService/GetPrim", STAGE "path: '/World/One/Geo' " ALL_FIELDS FRAMES},
    {"Traverse", "QueryService/Traverse", STAGE ALL_FIELDS FRAMES},
    {"TraverseMeshes", "QueryService/Traverse", STAGE "roots: '/World' schema_types: 'Mesh'"},
    {"Explain", "QueryService/Explain", STAGE "path: '/World/Light.tint' " FRAMES},
    {"ExplainClips", "QueryService/Explain", STAGE "path: '/Clips.x' " FRAMES},
    {"ListCollections", "QueryService/ListCollections",
     STAGE "paths: '/World.collection:rules' paths: '/World.collection:words'"},
    {"LevelsOfDetail", "GeomService/ComputeLevelsOfDetail",
     STAGE "camera: '/World/Lens' aspect_ratio: 2 " FRAMES},
    {"LevelsFromView", "GeomService/ComputeLevelsOfDetail",
     STAGE
     "paths: '/World/Detailed' paths: '/none' view { viewpoint: 1 viewpoint: 2 viewpoint: 3 } "
     "distance_hysteresis: 1 " FRAMES},
    {"Membership", "QueryService/ComputeMembership",
     STAGE "collections: '/World.collection:rules' collections: '/World.collection:words' "
           "paths: '/World/Light' paths: '/World/Two/Geo' paths: '/none'"},
    {"StageStatistics", "QueryService/ComputeStageStatistics", STAGE "roots: '/World' roots: '/C'"},
    {"ComputeTransforms", "GeomService/ComputeTransforms",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Curve' paths: '/C/M' " FRAMES
           "with_local: true"},
    {"TransformBlocks", "GeomService/ComputeTransforms",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Curve' " FRAMES "allow_blocks: true"},
    {"TransformSamples", "GeomService/ComputeTransforms",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Curve' paths: '/C/M' times { ranges: '1:4' } "
           "with_local: true sample_policy { shutter_close: 2 with_sources: true }"},
    {"ComputeVisibility", "GeomService/ComputeVisibility",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Curve' " FRAMES
           "effective_purposes: PURPOSE_GUIDE with_proxy_prims: true"},
    {"ComputeBounds", "GeomService/ComputeBounds",
     STAGE "paths: '/World' paths: '/Instancer' paths: '/C' " FRAMES "use_extents_hint: true"},
    {"InstanceBounds", "GeomService/ComputeBounds",
     STAGE "paths: '/Instancer' paths: '/World' paths: '/C' " FRAMES
           "instance_indices: 0 instance_indices: 1 with_boxes: true with_extents_hints: true "
           "space: BOUNDS_SPACE_RELATIVE relative_to: '/World' base_time { numeric: 1 }"},
    {"ComputeCameras", "GeomService/ComputeCameras",
     STAGE "paths: '/World/Lens' paths: '/World' " FRAMES "aspect_ratio: 1.5"},
    {"Models", "GeomService/ComputeModels",
     STAGE "paths: '/Model' paths: '/World' " FRAMES "with_constraint_targets: true"},
    {"CameraSamples", "GeomService/ComputeCameras",
     STAGE "paths: '/World/Lens' paths: '/World' times { ranges: '1:4' } "
           "sample_policy { shutter_close: 2 segments: 2 }"},
    {"GetPrimvars", "GeomService/GetPrimvars",
     STAGE "paths: '/World/Moved/Geometry' paths: '/World/One/Geo' " FRAMES "flatten: true"},
    {"MovingPoints", "GeomService/ComputePoints",
     STAGE "paths: '/World/Moved/Geometry' paths: '/World' " FRAMES "base_time { numeric: 1 }"},
    {"Subsets", "GeomService/ComputeSubsets",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Parts' paths: '/World' " FRAMES
           "with_unassigned_indices: true with_problems: true digest_options { known: 'one' }"},
    {"Topology", "GeomService/ComputeTopology",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Parts' paths: '/World/Tets' " FRAMES
           "with_problems: true with_surface_faces: true with_inverted_elements: true "
           "digest_options {}"},
    {"InstanceTransforms", "GeomService/ComputeInstanceTransforms",
     STAGE "paths: '/Instancer' " FRAMES "base_time { numeric: 1 } with_ids: true"},
    {"InstanceSamples", "GeomService/ComputeInstanceTransforms",
     STAGE "paths: '/Instancer' times { ranges: '1:4' } "
           "with_ids: true sample_policy { shutter_close: 2 segments: 1 }"},
    {"BoundMaterials", "ShadeService/ComputeBoundMaterials",
     STAGE "paths: '/World/Light' paths: '/World/Two/Geo' paths: '/none' "
           "purposes: 'full' purposes: '' with_bindings: true"},
    {"ExplainBinding", "ShadeService/ExplainBinding",
     STAGE "path: '/World/Two/Geo' purpose: 'full'"},
    {"MaterialNetworks", "ShadeService/ComputeMaterialNetworks",
     STAGE "paths: '/World/Two/Material' paths: '/Model/Material' paths: '/World' " FRAMES
           "render_contexts: 'ri' digest_options { known: 'one' }"},
    {"Labels", "QueryService/ComputeLabels",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Lens' paths: '/none' " FRAMES},
    {"LabelsWithin", "QueryService/ComputeLabels",
     STAGE "paths: '/World/Two/Geo' taxonomies: 'kind' interval { start: 1 end: 4 }"},
    {"CoordSysBindings", "ShadeService/ComputeCoordSysBindings",
     STAGE "paths: '/World/Two/Geo' paths: '/World/Lens' paths: '/none'"},
    {"ColorSpaces", "ShadeService/ComputeColorSpaces",
     STAGE "paths: '/World/Lens' paths: '/World/Light.tint' paths: '/none'"},
    {"ListLights", "LuxService/ListLights",
     STAGE "render_contexts: 'ri' mode: LIGHT_LIST_MODE_CONSULT_MODEL_HIERARCHY_CACHE"},
    {"LightSets", "LuxService/ComputeLightSets",
     STAGE "paths: '/World/Light' paths: '/World/Two/Geo' paths: '/none' link: LIGHT_LINK_SHADOW"},
    {"ExplainLightLink", "LuxService/ExplainLightLink",
     STAGE "light: '/World/Light' path: '/World/Two/Geo' link: LIGHT_LINK_SHADOW"},
    {"CollisionGroups", "PhysicsService/ComputeCollisionGroups",
     STAGE "paths: '/World/Crate' paths: '/World/Two/Geo' paths: '/none'"},
    {"MassProperties", "PhysicsService/ComputeMassProperties", STAGE "with_colliders: true"},
    {"MassesOfPaths", "PhysicsService/ComputeMassProperties",
     STAGE "paths: '/World/Crate' paths: '/World/Light' paths: '/none'"},
    {"RenderSettings", "RenderService/ComputeRenderSettings",
     STAGE "paths: '/World/Render' paths: '/World' paths: '/none'"},
    {"RenderPasses", "RenderService/ComputeRenderPasses",
     STAGE "paths: '/World/Light' paths: '/World/Two/Geo' paths: '/none' namespaces: 'ri'"},
    {"VolumeFields", "RenderService/ComputeVolumeFields",
     STAGE "paths: '/World/Smoke' paths: '/World' " FRAMES},
    {"Frame", "FrameService/ExtractFrame",
     STAGE "time { numeric: 2 } selection { purposes: PURPOSE_DEFAULT purposes: PURPOSE_RENDER "
           "camera: '/World/Lens' render_contexts: 'ri' } digest_options { known: 'one' }"},
    {"FrameAtDefaultTime", "FrameService/ExtractFrame",
     STAGE "time { default_time {} } selection { roots: '/World' roots: '/C' "
           "excluded: '/World/Heavy' types: 'Mesh' primvars: 'w' without_skinning: true }"},
    {"FrameSamples", "FrameService/ExtractFrame",
     STAGE "time { numeric: 2 } sample_policy { shutter_close: 2 } "
           "selection { render_settings: '/World/Render' render_pass: '/World/Pass' "
           "flatten_primvars: true without_invisible: true } changes_between_snapshots: true"},
    {"FrameAsText", "FrameService/ExportFrame",
     STAGE "time { numeric: 2 } sample_policy { shutter_close: 2 } "
           "selection { render_settings: '/World/Render' render_pass: '/World/Pass' "
           "camera: '/World/Lens' } format: LAYER_FORMAT_USDA"},
    {"FrameAsCrate", "FrameService/ExportFrame",
     STAGE "time { numeric: 2 } stream_options { chunk_bytes: 65536 }"},
    {"FrameFingerprint", "FrameService/ComputeFrameFingerprint",
     STAGE "time { numeric: 2 } sample_policy { shutter_close: 2 segments: 1 }"},
    {"ListSkelBindings", "SkelService/ListSkelBindings", STAGE},
    {"JointTransforms", "SkelService/ComputeJointTransforms",
     STAGE "paths: '/C/Skel' " FRAMES "space: JOINT_SPACE_SKINNING"},
    {"SkinnedPoints", "SkelService/ComputeSkinnedPoints",
     STAGE "paths: '/C/M' " FRAMES "with_normals: true with_joints: true world_space: true"},
    {"Skinning", "SkelService/ComputeSkinning",
     STAGE "paths: '/C/M' " FRAMES "with_packed_shapes: true digest_options { known: 'one' }"},
    {"ReadText", "LayersService/ReadLayer", "identifier: '%/root.usda'"},
    {"ReadCrate", "LayersService/ReadLayer", "identifier: '%/crate.usdc' digest_options {}"},
    {"ReadPackage", "LayersService/ReadLayer", "identifier: '%/package.usdz'"},
    {"ReadAsset", "LayersService/ReadAsset",
     "asset_path: './package.usdz' anchor: '%/root.usda' length: 100 "
     "resolver_context { search_paths: '/lib' pins { asset_path: 'a' target: '/b' } }"},
    {"ReadAssetOfStage", "LayersService/ReadAsset",
     "asset_path: '%/clip.1.usda' " STAGE "offset: 3"},
    {"ToCrate", "LayersService/ConvertLayer",
     "identifier: '%/root.usda' format: LAYER_FORMAT_USDC"},
    {"ToText", "LayersService/ConvertLayer",
     "identifier: '%/crate.usdc' format: LAYER_FORMAT_USDA"},
    {"Validate", "LayersService/ValidateLayer", "identifier: '%/root.usda'"},
    {"ValidateCrate", "LayersService/ValidateLayer", "identifier: '%/crate.usdc'"},
    {"ValidatePackage", "LayersService/ValidateLayer", "identifier: '%/package.usdz'"},
    {"Flatten", "LayersService/FlattenStage", "source { " STAGE "} format: LAYER_FORMAT_USDA"},
    {"FlattenToCrate", "LayersService/FlattenStage",
     "source { open { root_layer: '%/root.usda' } } format: LAYER_FORMAT_USDC"},
    {"FlattenLayers", "LayersService/FlattenStage",
     "source { " STAGE "} format: LAYER_FORMAT_USDA layer_stack_only: true"},
    {"StitchClips", "LayersService/StitchClips",
     "clips: '%/clip.1.usda' clips: '%/clip.2.usda' output: '%/out.usda' clip_path: '/C'"},
    {"StitchTemplate", "LayersService/StitchClips",
     "clips: '%/clip.1.usda' clips: '%/clip.2.usda' output: '%/root.usda' clip_path: '/C' "
     "clip_template { path: './clip.#.usda' stride: 1 } start_time_code: 1 end_time_code: 2"},
    {"Manifest", "LayersService/GenerateClipManifest",
     "clip_set { stage { " STAGE "} prim_path: '/Bare' clip_set: 'default' write_blocks: true } "
     "format: LAYER_FORMAT_USDA"},
    {"ManifestOfLayers", "LayersService/GenerateClipManifest",
     "clip_layers { clips: '%/clip.1.usda' clips: '%/clip.2.usda' clip_path: '/C' } "
     "format: LAYER_FORMAT_USDC"},
    {"ListDependencies", "LayersService/ListDependencies", "source { " STAGE "}"},
    {"Localize", "LayersService/LocalizeStage", "source { open { root_layer: '%/root.usda' } }"},
    {"LocalizeToPackage", "LayersService/LocalizeStage",
     "source { open { root_layer: '%/root.usda' } } package: true"},
    {"CacheStatistics", "CacheService/GetCacheStatistics", "with_layers: true", true},
    {"PrefetchClips", "CacheService/PrefetchClips",
     STAGE "paths: '/Clips' paths: '/Bare' interval { start: 1 end: 4 }"},
    {"Capabilities", "ServerService/GetCapabilities", ""},
    {"ServerStatistics", "ServerService/GetServerStatistics", "", true},
    {"ListCalls", "AdminService/ListCalls", "limit: 10", true},
    {"EvictCaches", "AdminService/EvictCaches",
     "caches: CACHE_KIND_STAGES caches: CACHE_KIND_LAYERS caches: CACHE_KIND_CLIPS "
     "caches: CACHE_KIND_REMOTE",
     true},
    {"Drain", "AdminService/Drain", "", true},
    {"SetLogLevel", "AdminService/SetLogLevel", "level: LOG_LEVEL_DEBUG", true},
    {"ReloadConfig", "AdminService/ReloadConfig", ""},
    {"GetConfig", "AdminService/GetConfig", ""},
    {"WarmStage", "StagesService/WarmStage",
     "source { open { root_layer: '%/root.usda' } } interval { start: 1 end: 4 }"},
    {"WarmPrims", "StagesService/WarmStage",
     "source { " STAGE "} prim_paths: '/Clips' prim_paths: '/None' interval { start: 1 end: 4 }"},
};

// Calls `visit` for a message and all messages nested in it.
template <typename Visit>
void ForEachMessage(Message* message, const Visit& visit) {
  visit(message);
  const auto* reflection = message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      ForEachMessage(reflection->MutableMessage(message, field), visit);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      ForEachMessage(reflection->MutableRepeatedMessage(message, field, i), visit);
    }
  }
}

}  // namespace

const std::vector<MixedRequest>& MixedRequests() {
  static const auto* all =
      new std::vector<MixedRequest>(std::begin(kRequests), std::end(kRequests));
  return *all;
}

void PrintTo(const MixedRequest& request, std::ostream* out) { *out << request.method; }

const MethodDescriptor& MethodOf(const MixedRequest& request) {
  for (const MethodDescriptor* method : AllMethods()) {
    if (Concat(method->service()->name(), "/", method->name()) == request.method) return *method;
  }
  std::abort();
}

std::unique_ptr<Message> RequestOf(const MixedRequest& request, const std::string& stage,
                                   const std::string& folder) {
  std::string text;
  for (const char* c = request.request; *c != '\0'; ++c) {
    text += *c == '$' ? stage : *c == '%' ? folder : std::string(1, *c);
  }
  auto message = NewRequest(MethodOf(request));
  if (!google::protobuf::TextFormat::ParseFromString(text, message.get())) std::abort();
  return message;
}

void Normalize(GenericReply* reply) {
  for (const auto& message : reply->messages) {
    ForEachMessage(message.get(), [](Message* part) {
      for (const char* name : {"handle", "id", "snapshot", "lease_expire_time", "lease_count",
                               "opened", "token", "fingerprint"}) {
        const FieldDescriptor* field = part->GetDescriptor()->FindFieldByName(name);
        if (field != nullptr) part->GetReflection()->ClearField(part, field);
      }
    });
  }
}

namespace {

using Messages = std::vector<std::unique_ptr<Message>>;

// The messages of a reply, with all warnings in the first: which message of a stream meets a
// problem first depends on what the daemon has cached.
Messages WithWarningsFirst(const GenericReply& reply) {
  Messages messages;
  for (const auto& message : reply.messages) {
    messages.emplace_back(message->New())->CopyFrom(*message);
    Message& first = *messages.front();
    Message& last = *messages.back();
    const FieldDescriptor* field = last.GetDescriptor()->FindFieldByName("warnings");
    if (field == nullptr || &first == &last) continue;
    for (int i = 0; i < last.GetReflection()->FieldSize(last, field); ++i) {
      first.GetReflection()
          ->AddMessage(&first, field)
          ->CopyFrom(last.GetReflection()->GetRepeatedMessage(last, field, i));
    }
    last.GetReflection()->ClearField(&last, field);
  }
  return messages;
}

}  // namespace

std::string Difference(const GenericReply& expected, const GenericReply& actual) {
  if (expected.status.error_code() != actual.status.error_code()) {
    return Concat("code ", static_cast<int>(actual.status.error_code()), ": ",
                  actual.status.error_message());
  }
  if (expected.messages.size() != actual.messages.size()) {
    return Concat(actual.messages.size(), " messages instead of ", expected.messages.size());
  }
  const Messages before = WithWarningsFirst(expected), after = WithWarningsFirst(actual);
  std::string differences;
  MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  for (size_t i = 0; i < before.size(); ++i) {
    if (differencer.Compare(*before[i], *after[i])) continue;
    return differences.substr(0, kShownDifference);
  }
  return "";
}

}  // namespace stagedoor::server
