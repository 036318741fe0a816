#ifndef STAGEDOOR_SERVER_HANDLERS_PHYSICS_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_PHYSICS_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/physics.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPCs of PhysicsService; physics.proto documents them.
absl::Status ComputeCollisionGroups(const QueryState& state, RequestContext& context,
                                    const v1::ComputeCollisionGroupsRequest& request,
                                    v1::ComputeCollisionGroupsResponse* response);
absl::Status ComputeMassProperties(const QueryState& state, RequestContext& context,
                                   const v1::ComputeMassPropertiesRequest& request,
                                   v1::ComputeMassPropertiesResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_PHYSICS_HANDLER_H_
