#ifndef STAGEDOOR_SERVER_HANDLERS_SERVER_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_SERVER_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/server.pb.h"

namespace stagedoor::server {

struct DaemonState;

// The RPCs of ServerService; server.proto documents them.
absl::Status GetCapabilities(const DaemonState& state, RequestContext& context,
                             const v1::GetCapabilitiesRequest& request,
                             v1::GetCapabilitiesResponse* response);
absl::Status GetServerStatistics(const DaemonState& state, RequestContext& context,
                                 const v1::GetServerStatisticsRequest& request,
                                 v1::GetServerStatisticsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SERVER_HANDLERS_H_
