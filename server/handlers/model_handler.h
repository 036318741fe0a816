#ifndef STAGEDOOR_SERVER_HANDLERS_MODEL_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_MODEL_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

struct QueryState;

// An RPC of GeomService; geom.proto documents it.
absl::Status ComputeModels(const QueryState& state, RequestContext& context,
                           const v1::ComputeModelsRequest& request,
                           v1::ComputeModelsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_MODEL_HANDLER_H_
