#ifndef STAGEDOOR_SERVER_HANDLERS_RENDER_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_RENDER_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/render.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPCs of RenderService; render.proto documents them.
absl::Status ComputeRenderSettings(const QueryState& state, RequestContext& context,
                                   const v1::ComputeRenderSettingsRequest& request,
                                   v1::ComputeRenderSettingsResponse* response);
absl::Status ComputeRenderPasses(const QueryState& state, RequestContext& context,
                                 const v1::ComputeRenderPassesRequest& request,
                                 v1::ComputeRenderPassesResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_RENDER_HANDLERS_H_
