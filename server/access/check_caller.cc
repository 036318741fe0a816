#include "server/access/check_caller.h"

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {

absl::Status CheckGroup(const Caller& caller, RpcGroup group, std::string_view what) {
  if (caller.grants->Allows(group)) return absl::OkStatus();
  const std::string_view name = kRpcGroupNames[static_cast<size_t>(group)];
  return WithReason(PermissionDeniedError(Quoted(caller.identity.name), " may not call ", what,
                                          ": role ", Quoted(caller.grants->role),
                                          " does not grant the methods of group ", Quoted(name)),
                    v1::ERROR_REASON_METHOD_FORBIDDEN, {{"group", name}});
}

absl::Status CheckCallerMay(RpcGroup group) {
  const Caller* const caller = CurrentCaller();
  return caller == nullptr ? absl::OkStatus() : CheckGroup(*caller, group, "this method so");
}

}  // namespace stagedoor::server
