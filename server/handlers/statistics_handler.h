#ifndef STAGEDOOR_SERVER_HANDLERS_STATISTICS_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_STATISTICS_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/statistics.pb.h"

namespace stagedoor::server {

struct QueryState;

// An RPC of QueryService; query.proto and statistics.proto document it.
absl::Status ComputeStageStatistics(const QueryState& state, RequestContext& context,
                                    const v1::ComputeStageStatisticsRequest& request,
                                    v1::ComputeStageStatisticsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_STATISTICS_HANDLER_H_
