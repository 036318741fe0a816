#ifndef STAGEDOOR_SERVER_HANDLERS_STATS_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_STATS_HANDLER_H_

#include "absl/status/status.h"
#include "server/handlers/server_state.h"
#include "stagedoor/v1/stats.pb.h"

namespace stagedoor::server {

// The RPC of StatsService; stats.proto documents it.
absl::Status GetServerStatistics(ServerState& state, RequestContext& context,
                                 const v1::GetServerStatisticsRequest& request,
                                 v1::GetServerStatisticsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_STATS_HANDLER_H_
