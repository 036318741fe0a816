#ifndef STAGEDOOR_SERVER_HANDLERS_EDIT_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_EDIT_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

struct SessionState;

// The RPCs of StagesService that change a leased stage; stages.proto documents them.
absl::Status SetSessionLayer(const SessionState& state, RequestContext& context,
                             const v1::SetSessionLayerRequest& request,
                             v1::SetSessionLayerResponse* response);
absl::Status LoadPrims(const SessionState& state, RequestContext& context,
                       const v1::LoadPrimsRequest& request, v1::LoadPrimsResponse* response);
absl::Status UnloadPrims(const SessionState& state, RequestContext& context,
                         const v1::UnloadPrimsRequest& request, v1::UnloadPrimsResponse* response);
absl::Status ReloadStage(const SessionState& state, RequestContext& context,
                         const v1::ReloadStageRequest& request, v1::ReloadStageResponse* response);
absl::Status MuteLayers(const SessionState& state, RequestContext& context,
                        const v1::MuteLayersRequest& request, v1::MuteLayersResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_EDIT_HANDLERS_H_
