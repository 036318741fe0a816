#ifndef STAGEDOOR_SERVER_SERVICES_METHODS_H_
#define STAGEDOOR_SERVER_SERVICES_METHODS_H_

#include <algorithm>
#include <cstdint>

#include "server/handlers/admin_handlers.h"
#include "server/handlers/asset_handler.h"
#include "server/handlers/bounds_handler.h"
#include "server/handlers/cache_handlers.h"
#include "server/handlers/camera_handler.h"
#include "server/handlers/clip_handlers.h"
#include "server/handlers/collection_handler.h"
#include "server/handlers/dependency_handlers.h"
#include "server/handlers/edit_handlers.h"
#include "server/handlers/edit_stage_handler.h"
#include "server/handlers/evict_caches_handler.h"
#include "server/handlers/explain_handler.h"
#include "server/handlers/flatten_handler.h"
#include "server/handlers/frame_export_handler.h"
#include "server/handlers/frame_handler.h"
#include "server/handlers/geom_handlers.h"
#include "server/handlers/geom_stream_handlers.h"
#include "server/handlers/labels_handler.h"
#include "server/handlers/layer_handlers.h"
#include "server/handlers/list_calls_handler.h"
#include "server/handlers/lod_handler.h"
#include "server/handlers/lux_handlers.h"
#include "server/handlers/material_network_handler.h"
#include "server/handlers/membership_handler.h"
#include "server/handlers/model_handler.h"
#include "server/handlers/path_sets.h"
#include "server/handlers/physics_handler.h"
#include "server/handlers/prim_handlers.h"
#include "server/handlers/render_handlers.h"
#include "server/handlers/sample_values_handler.h"
#include "server/handlers/server_handlers.h"
#include "server/handlers/shade_handlers.h"
#include "server/handlers/skel_handlers.h"
#include "server/handlers/skinning_data_handler.h"
#include "server/handlers/skinning_handler.h"
#include "server/handlers/space_handlers.h"
#include "server/handlers/stage_handlers.h"
#include "server/handlers/statistics_handler.h"
#include "server/handlers/topology_handler.h"
#include "server/handlers/value_handlers.h"
#include "server/handlers/value_stream_handlers.h"
#include "server/handlers/volume_handler.h"
#include "server/handlers/warm_handler.h"
#include "server/handlers/watch_handler.h"
#include "server/rpc/method_policy.h"

namespace stagedoor::server {

// The methods of each service: who may call them, where their calls run, and which function handles
// them. `methods` has two function templates, Unary and Stream, that take a name, a MethodPolicy, a
// handler and, for calls that may run inline, a predicate of the request: see HandlerService.

// The maximum number of items of a call that runs inline. If the attributes are compiled already,
// such a call takes microseconds.
inline constexpr int64_t kMaxInlineItems = 4096;

inline bool HasFewValues(const v1::BatchGetValuesRequest& request) {
  const v1::TimeSelection& times = request.times();
  const int64_t count = int64_t{times.times_size()} + times.frames_size();
  const int64_t paths = request.paths_size();
  return times.ranges().empty() && request.path_set().empty() &&
         (request.paired() ? std::max(paths, count) : paths * count) <= kMaxInlineItems;
}
inline bool HasFewLists(const v1::ListTimeSamplesRequest& request) {
  return request.paths_size() <= kMaxInlineItems;
}
inline bool HasFewTimes(const v1::GetBracketingTimeSamplesRequest& request) {
  return int64_t{request.paths_size()} * request.times_size() <= kMaxInlineItems;
}

// The maximum number of prims, at one time, of a call that runs inline. It takes a fraction of a
// millisecond for meshes of usual size.
inline constexpr int kMaxInlinePrims = 32;

inline bool HasFewPrims(const v1::ComputeSkinnedPointsRequest& request) {
  const v1::TimeSelection& times = request.times();
  return request.paths_size() > 0 && request.paths_size() <= kMaxInlinePrims &&
         times.ranges().empty() && times.times_size() + times.frames_size() <= 1;
}

template <typename Methods>
void AddStagesMethods(Methods& methods) {
  methods.Unary("OpenStage", {RpcGroup::kQuery, CallWeight::kNormal}, OpenStage);
  methods.Unary("GetStage", {RpcGroup::kQuery, CallWeight::kNormal}, GetStage);
  methods.Unary("ListStages", {RpcGroup::kAdmin, CallWeight::kNormal}, ListStages);
  methods.Unary("CloseStage", {RpcGroup::kQuery, CallWeight::kNormal, kEssential}, CloseStage);
  methods.Unary("RenewLease", {RpcGroup::kQuery, CallWeight::kInline, kEssential}, RenewLease);
  methods.Unary("SetSessionLayer", {RpcGroup::kEdit, CallWeight::kNormal}, SetSessionLayer);
  methods.Unary("LoadPrims", {RpcGroup::kEdit, CallWeight::kNormal}, LoadPrims);
  methods.Unary("UnloadPrims", {RpcGroup::kEdit, CallWeight::kNormal}, UnloadPrims);
  methods.Unary("ReloadStage", {RpcGroup::kEdit, CallWeight::kNormal}, ReloadStage);
  methods.Unary("MuteLayers", {RpcGroup::kEdit, CallWeight::kNormal}, MuteLayers);
  methods.Stream("WarmStage", {RpcGroup::kQuery, CallWeight::kHeavy}, WarmStage);
}

template <typename Methods>
void AddSessionsMethods(Methods& methods) {
  methods.Unary("EditStage", {RpcGroup::kEdit, CallWeight::kNormal}, EditStage);
  methods.Stream("ExportSessionLayer", {RpcGroup::kQuery, CallWeight::kNormal}, ExportSessionLayer);
  methods.Stream("WatchStage", {RpcGroup::kQuery, CallWeight::kNormal}, WatchStage);
}

template <typename Methods>
void AddQueryMethods(Methods& methods) {
  methods.Unary("DefinePaths", {RpcGroup::kQuery, CallWeight::kNormal}, DefinePaths);
  methods.Unary("BatchGetValues", {RpcGroup::kQuery, CallWeight::kInline}, BatchGetValues,
                HasFewValues);
  methods.Unary("ListTimeSamples", {RpcGroup::kQuery, CallWeight::kInline}, ListTimeSamples,
                HasFewLists);
  methods.Unary("GetBracketingTimeSamples", {RpcGroup::kQuery, CallWeight::kInline},
                GetBracketingTimeSamples, HasFewTimes);
  methods.Unary("GetPrim", {RpcGroup::kQuery, CallWeight::kInline}, GetPrim);
  methods.Unary("Explain", {RpcGroup::kQuery, CallWeight::kNormal}, Explain);
  methods.Stream("Traverse", {RpcGroup::kQuery, CallWeight::kNormal}, Traverse);
  methods.Stream("StreamValues", {RpcGroup::kQuery, CallWeight::kNormal}, StreamValues);
  methods.Stream("SampleValues", {RpcGroup::kQuery, CallWeight::kNormal}, SampleValues);
  methods.Stream("StreamTimeSamples", {RpcGroup::kQuery, CallWeight::kNormal}, StreamTimeSamples);
  methods.Stream("ListCollections", {RpcGroup::kQuery, CallWeight::kNormal}, ListCollections);
  methods.Unary("ComputeMembership", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeMembership);
  methods.Unary("ComputeStageStatistics", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeStageStatistics);
  methods.Unary("ComputeLabels", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeLabels);
}

template <typename Methods>
void AddLayersMethods(Methods& methods) {
  methods.Unary("ValidateLayer", {RpcGroup::kTools, CallWeight::kNormal}, ValidateLayer);
  methods.Stream("ReadLayer", {RpcGroup::kTools, CallWeight::kNormal}, ReadLayer);
  methods.Stream("ReadAsset", {RpcGroup::kTools, CallWeight::kNormal}, ReadAsset);
  methods.Stream("ConvertLayer", {RpcGroup::kTools, CallWeight::kHeavy}, ConvertLayer);
  methods.Stream("FlattenStage", {RpcGroup::kTools, CallWeight::kHeavy}, FlattenStage);
  methods.Stream("StitchClips", {RpcGroup::kTools, CallWeight::kHeavy}, StitchClips);
  methods.Stream("GenerateClipManifest", {RpcGroup::kTools, CallWeight::kHeavy},
                 GenerateClipManifest);
  methods.Stream("ListDependencies", {RpcGroup::kTools, CallWeight::kHeavy}, ListDependencies);
  methods.Stream("LocalizeStage", {RpcGroup::kTools, CallWeight::kHeavy}, LocalizeStage);
}

template <typename Methods>
void AddGeomMethods(Methods& methods) {
  methods.Unary("ComputeTransforms", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeTransforms);
  methods.Unary("ComputeVisibility", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeVisibility);
  methods.Unary("ComputeBounds", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeBounds);
  methods.Unary("ComputeCameras", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeCameras);
  methods.Unary("ComputeModels", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeModels);
  methods.Unary("ComputeLevelsOfDetail", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeLevelsOfDetail);
  methods.Stream("GetPrimvars", {RpcGroup::kQuery, CallWeight::kNormal}, GetPrimvars);
  methods.Stream("ComputePoints", {RpcGroup::kQuery, CallWeight::kNormal}, ComputePoints);
  methods.Stream("ComputeSubsets", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeSubsets);
  methods.Stream("ComputeTopology", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeTopology);
  methods.Stream("ComputeInstanceTransforms", {RpcGroup::kQuery, CallWeight::kNormal},
                 ComputeInstanceTransforms);
}

template <typename Methods>
void AddShadeMethods(Methods& methods) {
  methods.Unary("ComputeBoundMaterials", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeBoundMaterials);
  methods.Unary("ExplainBinding", {RpcGroup::kQuery, CallWeight::kNormal}, ExplainBinding);
  methods.Stream("ComputeMaterialNetworks", {RpcGroup::kQuery, CallWeight::kNormal},
                 ComputeMaterialNetworks);
  methods.Unary("ComputeCoordSysBindings", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeCoordSysBindings);
  methods.Unary("ComputeColorSpaces", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeColorSpaces);
}

template <typename Methods>
void AddLuxMethods(Methods& methods) {
  methods.Unary("ListLights", {RpcGroup::kQuery, CallWeight::kNormal}, ListLights);
  methods.Unary("ComputeLightSets", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeLightSets);
  methods.Unary("ExplainLightLink", {RpcGroup::kQuery, CallWeight::kNormal}, ExplainLightLink);
}

template <typename Methods>
void AddPhysicsMethods(Methods& methods) {
  methods.Unary("ComputeCollisionGroups", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeCollisionGroups);
  methods.Unary("ComputeMassProperties", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeMassProperties);
}

template <typename Methods>
void AddRenderMethods(Methods& methods) {
  methods.Unary("ComputeRenderSettings", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeRenderSettings);
  methods.Unary("ComputeRenderPasses", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeRenderPasses);
  methods.Unary("ComputeVolumeFields", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeVolumeFields);
}

template <typename Methods>
void AddSkelMethods(Methods& methods) {
  methods.Stream("ComputeSkinnedPoints", {RpcGroup::kQuery, CallWeight::kInline},
                 ComputeSkinnedPoints, HasFewPrims);
  methods.Stream("ListSkelBindings", {RpcGroup::kQuery, CallWeight::kNormal}, ListSkelBindings);
  methods.Stream("ComputeJointTransforms", {RpcGroup::kQuery, CallWeight::kNormal},
                 ComputeJointTransforms);
  methods.Stream("ComputeSkinning", {RpcGroup::kQuery, CallWeight::kNormal}, ComputeSkinning);
}

template <typename Methods>
void AddFrameMethods(Methods& methods) {
  methods.Stream("ExtractFrame", {RpcGroup::kQuery, CallWeight::kNormal}, ExtractFrame);
  methods.Unary("ComputeFrameFingerprint", {RpcGroup::kQuery, CallWeight::kNormal},
                ComputeFrameFingerprint);
  methods.Stream("ExportFrame", {RpcGroup::kQuery, CallWeight::kHeavy}, ExportFrame);
}

template <typename Methods>
void AddCacheMethods(Methods& methods) {
  methods.Unary("GetCacheStatistics", {RpcGroup::kAdmin, CallWeight::kNormal}, GetCacheStatistics);
  methods.Unary("PrefetchClips", {RpcGroup::kQuery, CallWeight::kHeavy}, PrefetchClips);
}

template <typename Methods>
void AddServerMethods(Methods& methods) {
  methods.Unary("GetCapabilities", {RpcGroup::kQuery, CallWeight::kNormal, kEssential},
                GetCapabilities);
  methods.Unary("GetServerStatistics", {RpcGroup::kAdmin, CallWeight::kNormal},
                GetServerStatistics);
}

template <typename Methods>
void AddAdminMethods(Methods& methods) {
  methods.Unary("ListCalls", {RpcGroup::kAdmin, CallWeight::kNormal}, ListCalls);
  methods.Unary("EvictCaches", {RpcGroup::kAdmin, CallWeight::kHeavy}, EvictCaches);
  methods.Unary("Drain", {RpcGroup::kAdmin, CallWeight::kNormal}, Drain);
  methods.Unary("SetLogLevel", {RpcGroup::kAdmin, CallWeight::kNormal}, SetLogLevel);
  methods.Unary("ReloadConfig", {RpcGroup::kAdmin, CallWeight::kHeavy}, ReloadConfig);
  methods.Unary("GetConfig", {RpcGroup::kAdmin, CallWeight::kNormal}, GetConfig);
}

// Those of all services.
template <typename Methods>
void AddAllMethods(Methods& methods) {
  AddStagesMethods(methods);
  AddSessionsMethods(methods);
  AddQueryMethods(methods);
  AddLayersMethods(methods);
  AddGeomMethods(methods);
  AddShadeMethods(methods);
  AddLuxMethods(methods);
  AddPhysicsMethods(methods);
  AddRenderMethods(methods);
  AddSkelMethods(methods);
  AddFrameMethods(methods);
  AddCacheMethods(methods);
  AddServerMethods(methods);
  AddAdminMethods(methods);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVICES_METHODS_H_
