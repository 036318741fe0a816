#ifndef STAGEDOOR_SERVER_HANDLERS_SKEL_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_SKEL_HANDLERS_H_

#include "absl/status/statusor.h"
#include "server/handlers/server_state.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::server {

// The RPCs of SkelService about bindings and joints; skel.proto documents them.
absl::StatusOr<ResponseStreamPtr<v1::ListSkelBindingsResponse>> ListSkelBindings(
    ServerState& state, RequestContext& context, const v1::ListSkelBindingsRequest& request);
absl::StatusOr<ResponseStreamPtr<v1::ComputeJointTransformsResponse>> ComputeJointTransforms(
    ServerState& state, RequestContext& context, const v1::ComputeJointTransformsRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SKEL_HANDLERS_H_
