#ifndef STAGEDOOR_SERVER_HANDLERS_LUX_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_LUX_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/lux.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPCs of LuxService; lux.proto documents them.
absl::Status ListLights(const QueryState& state, RequestContext& context,
                        const v1::ListLightsRequest& request, v1::ListLightsResponse* response);
absl::Status ComputeLightSets(const QueryState& state, RequestContext& context,
                              const v1::ComputeLightSetsRequest& request,
                              v1::ComputeLightSetsResponse* response);
absl::Status ExplainLightLink(const QueryState& state, RequestContext& context,
                              const v1::ExplainLightLinkRequest& request,
                              v1::ExplainLightLinkResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_LUX_HANDLERS_H_
