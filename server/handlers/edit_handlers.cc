#include "server/handlers/edit_handlers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/clips/clip_environment.h"
#include "server/converters/reply_budget.h"
#include "server/handlers/caller_scope.h"
#include "server/handlers/follow_changes.h"
#include "server/handlers/leased_stage.h"
#include "server/handlers/repeatable_request.h"
#include "server/handlers/stage_key_parser.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

// Parses the paths of a request into the path scope of `stage_key`, which they become part of.
absl::StatusOr<std::vector<Path>> ParsePaths(
    const google::protobuf::RepeatedPtrField<std::string>& texts, StageKey& stage_key) {
  stage_key.options.paths = PathScope::CreateSuccessor(stage_key.options.paths);
  const WorkScope::Guard guard(stage_key.options.paths.get());
  std::vector<Path> paths;
  for (const std::string& text : texts) {
    SD_ASSIGN_OR_RETURN(const Path path, ParsePrimPath(text));
    paths.push_back(path);
  }
  return paths;
}

// Applies `change` to the stage of a request, publishes the new snapshot and returns its
// fingerprint.
template <typename Request, typename Change>
absl::StatusOr<std::string> EditStage(ServerState& state, RequestContext& context,
                                      const Request& request, const Change& change) {
  SD_ASSIGN_OR_RETURN(const auto session, AcquireSession(state, request.stage().handle()));
  StageSession::Precondition precondition{.expected_snapshot = request.expected_snapshot()};
  SD_ASSIGN_OR_RETURN(precondition.request,
                      IdentifyRequest(context, request.request_id(), request));
  absl::StatusOr<std::string> edited = session->Edit(context, precondition, change);
  // What the snapshot was made of may be more, or something else, than before.
  if (edited.ok()) FollowChanges(state, session);
  return edited;
}

}  // namespace

absl::Status SetSessionLayer(ServerState& state, RequestContext& context,
                             const v1::SetSessionLayerRequest& request,
                             v1::SetSessionLayerResponse* response) {
  const auto change = [&](StageKey& stage_key) {
    return ApplySessionLayer(state, context, request.session_layer(), stage_key);
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(), EditStage(state, context, request, change));
  return absl::OkStatus();
}

absl::Status LoadPrims(ServerState& state, RequestContext& context,
                       const v1::LoadPrimsRequest& request, v1::LoadPrimsResponse* response) {
  const auto change = [&](StageKey& stage_key) -> absl::Status {
    SD_ASSIGN_OR_RETURN(const std::vector<Path> paths, ParsePaths(request.paths(), stage_key));
    for (const Path path : paths) {
      stage_key.options.load.Load(path, !request.without_descendants());
    }
    return absl::OkStatus();
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(), EditStage(state, context, request, change));
  return absl::OkStatus();
}

absl::Status UnloadPrims(ServerState& state, RequestContext& context,
                         const v1::UnloadPrimsRequest& request, v1::UnloadPrimsResponse* response) {
  const auto change = [&](StageKey& stage_key) -> absl::Status {
    SD_ASSIGN_OR_RETURN(const std::vector<Path> paths, ParsePaths(request.paths(), stage_key));
    for (const Path path : paths) stage_key.options.load.Unload(path);
    return absl::OkStatus();
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(), EditStage(state, context, request, change));
  return absl::OkStatus();
}

absl::Status ReloadStage(ServerState& state, RequestContext& context,
                         const v1::ReloadStageRequest& request, v1::ReloadStageResponse* response) {
  SD_ASSIGN_OR_RETURN(const auto session, AcquireSession(state, request.stage().handle()));
  const std::shared_ptr<const StageSnapshot> newest = session->Newest();
  ReplyBudget budget(context, state.limits.max_reply_bytes, "open the stage again instead");
  SD_ASSIGN_OR_RETURN(const StageCache::FileCheck check, state.stages.CheckFiles(context, *newest));
  for (const std::string& layer : check.changed_layers) {
    budget.AddText(layer, response->mutable_reloaded_layers());
  }
  if (ClipEnvironment* clips = state.stages.environment().clips) {
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
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(), EditStage(state, context, request, change));
  return absl::OkStatus();
}

absl::Status MuteLayers(ServerState& state, RequestContext& context,
                        const v1::MuteLayersRequest& request, v1::MuteLayersResponse* response) {
  const auto change = [&](StageKey& stage_key) -> absl::Status {
    std::vector<std::string>& muted = stage_key.options.muted_layers;
    const ResolverContext& resolver_context = stage_key.options.resolver_context;
    for (const std::string& layer : request.unmute()) {
      SD_ASSIGN_OR_RETURN(const std::string identifier,
                          IdentifyLayer(state, context, resolver_context, layer));
      std::erase(muted, identifier);
    }
    for (const std::string& layer : request.mute()) {
      SD_ASSIGN_OR_RETURN(std::string identifier,
                          IdentifyLayer(state, context, resolver_context, layer));
      muted.push_back(std::move(identifier));
    }
    std::sort(muted.begin(), muted.end());
    muted.erase(std::unique(muted.begin(), muted.end()), muted.end());
    return absl::OkStatus();
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(), EditStage(state, context, request, change));
  return absl::OkStatus();
}

}  // namespace stagedoor::server
