#ifndef STAGEDOOR_SERVER_HANDLERS_WATCH_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_WATCH_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor::server {

struct SessionState;

// The RPC of SessionsService that reports changes; sessions.proto documents it.
absl::StatusOr<ResponseStreamPtr<v1::WatchStageResponse>> WatchStage(
    const SessionState& state, RequestContext& context, const v1::WatchStageRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_WATCH_HANDLER_H_
