#ifndef STAGEDOOR_SERVER_HANDLERS_MEMBERSHIP_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_MEMBERSHIP_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

struct QueryState;

// QueryService.ComputeMembership; query.proto documents it.
absl::Status ComputeMembership(const QueryState& state, RequestContext& context,
                               const v1::ComputeMembershipRequest& request,
                               v1::ComputeMembershipResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_MEMBERSHIP_HANDLER_H_
