#ifndef STAGEDOOR_SERVER_HANDLERS_EDIT_STAGE_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_EDIT_STAGE_HANDLER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor::server {

struct SessionState;

// The RPCs of SessionsService that author and export the session layer; sessions.proto documents
// them.
absl::Status EditStage(const SessionState& state, RequestContext& context,
                       const v1::EditStageRequest& request, v1::EditStageResponse* response);
absl::StatusOr<ResponseStreamPtr<v1::ExportSessionLayerResponse>> ExportSessionLayer(
    const SessionState& state, RequestContext& context,
    const v1::ExportSessionLayerRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_EDIT_STAGE_HANDLER_H_
