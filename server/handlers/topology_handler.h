#ifndef STAGEDOOR_SERVER_HANDLERS_TOPOLOGY_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_TOPOLOGY_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/topology.pb.h"

namespace stagedoor::server {

struct QueryState;

// An RPC of GeomService; geom.proto and topology.proto document it. The messages are in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeTopology(
    const QueryState& state, RequestContext& context, const v1::ComputeTopologyRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_TOPOLOGY_HANDLER_H_
