#ifndef STAGEDOOR_SERVER_HANDLERS_FLATTEN_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_FLATTEN_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {

struct SourceState;

// The RPC of LayersService that flattens a stage; layers.proto documents it.
absl::StatusOr<ResponseStreamPtr<v1::FlattenStageResponse>> FlattenStage(
    const SourceState& state, RequestContext& context, const v1::FlattenStageRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_FLATTEN_HANDLER_H_
