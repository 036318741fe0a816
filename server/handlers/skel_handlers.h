#ifndef STAGEDOOR_SERVER_HANDLERS_SKEL_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_SKEL_HANDLERS_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPCs of SkelService about bindings and joints; skel.proto documents them. The messages of
// joint transforms are in wire form.
absl::StatusOr<ResponseStreamPtr<v1::ListSkelBindingsResponse>> ListSkelBindings(
    const QueryState& state, RequestContext& context, const v1::ListSkelBindingsRequest& request);
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeJointTransforms(
    const QueryState& state, RequestContext& context,
    const v1::ComputeJointTransformsRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SKEL_HANDLERS_H_
