#ifndef STAGEDOOR_SERVER_ACCESS_GRANTS_H_
#define STAGEDOOR_SERVER_ACCESS_GRANTS_H_

#include <bitset>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include "resolver/access/access_scope.h"
#include "server/access/rpc_group.h"

namespace stagedoor::server {

// The permissions of a role. Immutable once a caller has it.
struct Grants {
  std::string role;
  std::shared_ptr<const AccessScope> assets;  // null: everything that the daemon may read
  std::bitset<kRpcGroupNames.size()> groups;
  PriorityClass priority = PriorityClass::kNormal;
  size_t max_calls = std::numeric_limits<size_t>::max();   // in flight, of one identity
  size_t max_leases = std::numeric_limits<size_t>::max();  // of one identity

  bool Allows(RpcGroup group) const { return groups.test(static_cast<size_t>(group)); }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_GRANTS_H_
