#ifndef STAGEDOOR_SERVER_HANDLERS_PRIM_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_PRIM_HANDLERS_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPCs of QueryService about prims; query.proto documents them.
absl::Status GetPrim(const QueryState& state, RequestContext& context,
                     const v1::GetPrimRequest& request, v1::GetPrimResponse* response);
// The stream's messages are TraverseResponses in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> Traverse(const QueryState& state,
                                                       RequestContext& context,
                                                       const v1::TraverseRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_PRIM_HANDLERS_H_
