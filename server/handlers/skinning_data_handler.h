#ifndef STAGEDOOR_SERVER_HANDLERS_SKINNING_DATA_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_SKINNING_DATA_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPC of SkelService for clients that skin themselves; skel.proto documents it. The stream's
// messages are ComputeSkinningResponses in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeSkinning(
    const QueryState& state, RequestContext& context, const v1::ComputeSkinningRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SKINNING_DATA_HANDLER_H_
