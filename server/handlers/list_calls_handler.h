#ifndef STAGEDOOR_SERVER_HANDLERS_LIST_CALLS_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_LIST_CALLS_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/admin.pb.h"

namespace stagedoor::server {

struct AdminState;

// The RPC ListCalls; admin.proto documents it.
absl::Status ListCalls(const AdminState& state, RequestContext& context,
                       const v1::ListCallsRequest& request, v1::ListCallsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_LIST_CALLS_HANDLER_H_
