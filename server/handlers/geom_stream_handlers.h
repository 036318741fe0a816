#ifndef STAGEDOOR_SERVER_HANDLERS_GEOM_STREAM_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_GEOM_STREAM_HANDLERS_H_

#include "absl/status/statusor.h"
#include "server/handlers/server_state.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

// The streaming RPCs of GeomService; geom.proto documents them. The messages are in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> GetPrimvars(ServerState& state,
                                                          RequestContext& context,
                                                          const v1::GetPrimvarsRequest& request);
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputePoints(
    ServerState& state, RequestContext& context, const v1::ComputePointsRequest& request);
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeInstanceTransforms(
    ServerState& state, RequestContext& context,
    const v1::ComputeInstanceTransformsRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_GEOM_STREAM_HANDLERS_H_
