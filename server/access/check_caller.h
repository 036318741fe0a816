#ifndef STAGEDOOR_SERVER_ACCESS_CHECK_CALLER_H_
#define STAGEDOOR_SERVER_ACCESS_CHECK_CALLER_H_

#include <string_view>

#include "absl/status/status.h"
#include "server/access/caller.h"
#include "server/access/rpc_group.h"

namespace stagedoor::server {

// OK if the caller has the group of methods that `what`, such as a method, needs.
// PERMISSION_DENIED (METHOD_FORBIDDEN) names the caller and the group.
absl::Status CheckGroup(const Caller& caller, RpcGroup group, std::string_view what);

// As CheckGroup, for the caller whose call the thread works on, for requests that need more than
// their method. OK inside the process.
absl::Status CheckCallerMay(RpcGroup group);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_CHECK_CALLER_H_
