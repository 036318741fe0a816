#ifndef STAGEDOOR_SERVER_HANDLERS_SKINNING_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_SKINNING_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPC of SkelService that skins; skel.proto documents it. The stream's messages are
// ComputeSkinnedPointsResponses in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeSkinnedPoints(
    const QueryState& state, RequestContext& context,
    const v1::ComputeSkinnedPointsRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SKINNING_HANDLER_H_
