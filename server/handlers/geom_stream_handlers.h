#ifndef STAGEDOOR_SERVER_HANDLERS_GEOM_STREAM_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_GEOM_STREAM_HANDLERS_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

struct QueryState;

// The streaming RPCs of GeomService; geom.proto documents them. The messages are in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> GetPrimvars(const QueryState& state,
                                                          RequestContext& context,
                                                          const v1::GetPrimvarsRequest& request);
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputePoints(
    const QueryState& state, RequestContext& context, const v1::ComputePointsRequest& request);
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeSubsets(
    const QueryState& state, RequestContext& context, const v1::ComputeSubsetsRequest& request);
absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeInstanceTransforms(
    const QueryState& state, RequestContext& context,
    const v1::ComputeInstanceTransformsRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_GEOM_STREAM_HANDLERS_H_
