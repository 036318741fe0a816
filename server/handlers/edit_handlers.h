#ifndef STAGEDOOR_SERVER_HANDLERS_EDIT_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_EDIT_HANDLERS_H_

#include "absl/status/status.h"
#include "server/handlers/server_state.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

// The RPCs of StagesService that change a leased stage; stages.proto documents them.
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

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_EDIT_HANDLERS_H_
