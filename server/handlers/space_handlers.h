#ifndef STAGEDOOR_SERVER_HANDLERS_SPACE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_SPACE_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/shade.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPCs of ShadeService about coordinate systems and color spaces; shade.proto documents them.
absl::Status ComputeCoordSysBindings(const QueryState& state, RequestContext& context,
                                     const v1::ComputeCoordSysBindingsRequest& request,
                                     v1::ComputeCoordSysBindingsResponse* response);
absl::Status ComputeColorSpaces(const QueryState& state, RequestContext& context,
                                const v1::ComputeColorSpacesRequest& request,
                                v1::ComputeColorSpacesResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SPACE_HANDLERS_H_
