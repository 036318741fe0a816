#ifndef STAGEDOOR_SERVER_HANDLERS_SERVER_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_SERVER_HANDLERS_H_

#include "absl/status/status.h"
#include "server/handlers/server_state.h"
#include "stagedoor/v1/server.pb.h"

namespace stagedoor::server {

// The RPCs of ServerService; server.proto documents them.
absl::Status GetCapabilities(ServerState& state, RequestContext& context,
                             const v1::GetCapabilitiesRequest& request,
                             v1::GetCapabilitiesResponse* response);
absl::Status GetServerStatistics(ServerState& state, RequestContext& context,
                                 const v1::GetServerStatisticsRequest& request,
                                 v1::GetServerStatisticsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SERVER_HANDLERS_H_
