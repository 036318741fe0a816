#ifndef STAGEDOOR_SERVER_HANDLERS_GEOM_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_GEOM_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

struct QueryState;

// RPCs of GeomService; geom.proto documents them.
absl::Status ComputeTransforms(const QueryState& state, RequestContext& context,
                               const v1::ComputeTransformsRequest& request,
                               v1::ComputeTransformsResponse* response);
absl::Status ComputeVisibility(const QueryState& state, RequestContext& context,
                               const v1::ComputeVisibilityRequest& request,
                               v1::ComputeVisibilityResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_GEOM_HANDLERS_H_
