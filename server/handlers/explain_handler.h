#ifndef STAGEDOOR_SERVER_HANDLERS_EXPLAIN_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_EXPLAIN_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPC of QueryService that explains values; query.proto documents it.
absl::Status Explain(const QueryState& state, RequestContext& context,
                     const v1::ExplainRequest& request, v1::ExplainResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_EXPLAIN_HANDLER_H_
