#ifndef STAGEDOOR_SERVER_HANDLERS_LABELS_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_LABELS_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

struct QueryState;

// QueryService.ComputeLabels; query.proto documents it.
absl::Status ComputeLabels(const QueryState& state, RequestContext& context,
                           const v1::ComputeLabelsRequest& request,
                           v1::ComputeLabelsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_LABELS_HANDLER_H_
