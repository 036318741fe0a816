#ifndef STAGEDOOR_SERVER_HANDLERS_LUX_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_LUX_HANDLERS_H_

#include "absl/status/status.h"
#include "server/handlers/server_state.h"
#include "stagedoor/v1/lux.pb.h"

namespace stagedoor::server {

// The RPCs of LuxService; lux.proto documents them.
absl::Status ListLights(ServerState& state, RequestContext& context,
                        const v1::ListLightsRequest& request, v1::ListLightsResponse* response);
absl::Status ComputeLightSets(ServerState& state, RequestContext& context,
                              const v1::ComputeLightSetsRequest& request,
                              v1::ComputeLightSetsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_LUX_HANDLERS_H_
