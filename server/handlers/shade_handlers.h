#ifndef STAGEDOOR_SERVER_HANDLERS_SHADE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_SHADE_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/shade.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPCs of ShadeService about bindings; shade.proto documents them.
absl::Status ComputeBoundMaterials(const QueryState& state, RequestContext& context,
                                   const v1::ComputeBoundMaterialsRequest& request,
                                   v1::ComputeBoundMaterialsResponse* response);

absl::Status ExplainBinding(const QueryState& state, RequestContext& context,
                            const v1::ExplainBindingRequest& request,
                            v1::ExplainBindingResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SHADE_HANDLERS_H_
