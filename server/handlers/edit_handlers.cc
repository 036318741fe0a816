#include "server/handlers/edit_handlers.h"

#include <memory>
#include <string>

#include "base/status_macros.h"
#include "scene/clips/clip_environment.h"
#include "server/converters/reply_budget.h"
#include "server/sessions/caller_scope.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/publish_change.h"
#include "server/sessions/session_state.h"
#include "server/sessions/stage_key_changes.h"
#include "server/sessions/stage_key_parser.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_key.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor::server {

absl::Status SetSessionLayer(const SessionState& state, RequestContext& context,
                             const v1::SetSessionLayerRequest& request,
                             v1::SetSessionLayerResponse* response) {
  const auto change = [&](StageKey& stage_key) {
    return ApplySessionLayer(state.assets, context, request.session_layer(), stage_key);
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(),
                      PublishChange(state, context, request, change));
  return absl::OkStatus();
}

absl::Status LoadPrims(const SessionState& state, RequestContext& context,
                       const v1::LoadPrimsRequest& request, v1::LoadPrimsResponse* response) {
  const auto change = [&](StageKey& stage_key) {
    return LoadPaths(request.paths(), !request.without_descendants(), stage_key);
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(),
                      PublishChange(state, context, request, change));
  return absl::OkStatus();
}

absl::Status UnloadPrims(const SessionState& state, RequestContext& context,
                         const v1::UnloadPrimsRequest& request, v1::UnloadPrimsResponse* response) {
  const auto change = [&](StageKey& stage_key) { return UnloadPaths(request.paths(), stage_key); };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(),
                      PublishChange(state, context, request, change));
  return absl::OkStatus();
}

absl::Status ReloadStage(const SessionState& state, RequestContext& context,
                         const v1::ReloadStageRequest& request, v1::ReloadStageResponse* response) {
  // Look up the session.
  SD_ASSIGN_OR_RETURN(const auto session,
                      AcquireSession(state.queries, context, request.stage().handle()));
  const std::shared_ptr<const StageSnapshot> newest = session->Newest();
  // Call the engine, and fill the reply.
  ReplyBudget budget(context, state.assets.limits.max_reply_bytes, "open the stage again instead");
  SD_ASSIGN_OR_RETURN(const StageCache::FileCheck check,
                      state.assets.stages.CheckFiles(context, *newest));
  for (const std::string& layer : check.changed_layers) {
    budget.AddText(layer, response->mutable_reloaded_layers());
  }
  if (ClipEnvironment* clips = state.assets.stages.environment().clips) {
    for (const std::string& clip : clips->cache().Refresh(context)) {
      if (CallerMayRead(clip)) budget.AddText(clip, response->mutable_reloaded_layers());
    }
  }
  if (!budget.ok()) return budget.status();
  const bool expected =
      request.expected_snapshot().empty() || request.expected_snapshot() == newest->fingerprint();
  if (expected && !check.stale) {
    response->set_snapshot(newest->fingerprint());
    return absl::OkStatus();
  }
  const auto change = [](StageKey& stage_key) {
    stage_key.options.kept_layers = nullptr;  // a client's wish, even if the stage is fixed
    return absl::OkStatus();
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(),
                      PublishChange(state, context, request, change));
  return absl::OkStatus();
}

absl::Status MuteLayers(const SessionState& state, RequestContext& context,
                        const v1::MuteLayersRequest& request, v1::MuteLayersResponse* response) {
  const auto change = [&](StageKey& stage_key) {
    return ChangeMutedLayers(state.assets, context, request.mute(), request.unmute(), stage_key);
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(),
                      PublishChange(state, context, request, change));
  return absl::OkStatus();
}

}  // namespace stagedoor::server
