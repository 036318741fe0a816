#ifndef STAGEDOOR_SERVER_HANDLERS_WARM_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_WARM_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

struct SourceState;

// Handles WarmStage. The work is done in pieces, one for each message, between which other calls of
// the lane take their turns.
absl::StatusOr<ResponseStreamPtr<v1::WarmStageResponse>> WarmStage(
    const SourceState& state, RequestContext& context, const v1::WarmStageRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_WARM_HANDLER_H_
