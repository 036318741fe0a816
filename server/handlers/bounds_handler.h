#ifndef STAGEDOOR_SERVER_HANDLERS_BOUNDS_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_BOUNDS_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

struct QueryState;

// An RPC of GeomService; geom.proto documents it.
absl::Status ComputeBounds(const QueryState& state, RequestContext& context,
                           const v1::ComputeBoundsRequest& request,
                           v1::ComputeBoundsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_BOUNDS_HANDLER_H_
