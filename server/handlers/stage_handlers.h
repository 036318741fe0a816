#ifndef STAGEDOOR_SERVER_HANDLERS_STAGE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_STAGE_HANDLERS_H_

#include "absl/status/status.h"
#include "server/handlers/server_state.h"
#include "server/stages/stage_key.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor {

// The handlers of StagesService; the proto file documents them.
absl::Status OpenStage(ServerState& state, RequestContext& context,
                       const v1::OpenStageRequest& request, v1::OpenStageResponse* response);
absl::Status GetStage(ServerState& state, RequestContext& context,
                      const v1::GetStageRequest& request, v1::GetStageResponse* response);
absl::Status ListStages(ServerState& state, RequestContext& context,
                        const v1::ListStagesRequest& request, v1::ListStagesResponse* response);
absl::Status CloseStage(ServerState& state, RequestContext& context,
                        const v1::CloseStageRequest& request, v1::CloseStageResponse* response);
absl::Status RenewLease(ServerState& state, RequestContext& context,
                        const v1::RenewLeaseRequest& request, v1::RenewLeaseResponse* response);

// edit_handlers.cc
absl::Status SetSessionLayer(ServerState& state, RequestContext& context,
                             const v1::SetSessionLayerRequest& request,
                             v1::SetSessionLayerResponse* response);
absl::Status LoadPrims(ServerState& state, RequestContext& context,
                       const v1::LoadPrimsRequest& request, v1::LoadPrimsResponse* response);
absl::Status UnloadPrims(ServerState& state, RequestContext& context,
                         const v1::UnloadPrimsRequest& request, v1::UnloadPrimsResponse* response);
absl::Status ReloadStage(ServerState& state, RequestContext& context,
                         const v1::ReloadStageRequest& request, v1::ReloadStageResponse* response);
absl::Status MuteLayers(ServerState& state, RequestContext& context,
                        const v1::MuteLayersRequest& request, v1::MuteLayersResponse* response);

// What a request asks to open, with identifiers normalized by the resolver. Also for tools that
// open a stage of their own. INVALID_ARGUMENT names the field.
absl::StatusOr<StageKey> ParseStageKey(ServerState& state, RequestContext& context,
                                       const v1::OpenStageRequest& request);
absl::Status ApplySessionLayer(ServerState& state, RequestContext& context,
                               const v1::SessionLayer& session, StageKey& stage_key);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_STAGE_HANDLERS_H_
