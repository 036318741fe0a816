#ifndef STAGEDOOR_SERVER_RPC_METHOD_POLICY_H_
#define STAGEDOOR_SERVER_RPC_METHOD_POLICY_H_

#include "server/access/rpc_group.h"
#include "server/rpc/call_weight.h"

namespace stagedoor::server {

// The permission that a method needs, and how its calls are served. A policy needs a group, so that
// no method is open to all because its group was forgotten.
struct MethodPolicy {
  RpcGroup group;
  CallWeight weight;
  // Whether calls release something, or are needed to find out what the daemon can do, and so are
  // served while memory is short. Those of administrators always are.
  bool is_essential = false;
};

inline constexpr bool kEssential = true;

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_METHOD_POLICY_H_
