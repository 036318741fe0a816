#ifndef STAGEDOOR_SERVER_HANDLERS_GEOM_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_GEOM_HANDLERS_H_

#include "absl/status/status.h"
#include "server/handlers/server_state.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

// The unary RPCs of GeomService; geom.proto documents them.
absl::Status ComputeTransforms(ServerState& state, RequestContext& context,
                               const v1::ComputeTransformsRequest& request,
                               v1::ComputeTransformsResponse* response);
absl::Status ComputeVisibility(ServerState& state, RequestContext& context,
                               const v1::ComputeVisibilityRequest& request,
                               v1::ComputeVisibilityResponse* response);
absl::Status ComputeBounds(ServerState& state, RequestContext& context,
                           const v1::ComputeBoundsRequest& request,
                           v1::ComputeBoundsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_GEOM_HANDLERS_H_
