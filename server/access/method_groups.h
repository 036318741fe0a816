#ifndef STAGEDOOR_SERVER_ACCESS_METHOD_GROUPS_H_
#define STAGEDOOR_SERVER_ACCESS_METHOD_GROUPS_H_

#include <optional>
#include <string_view>

#include "server/access/rpc_group.h"

namespace stagedoor::server {

// The group of a method, named "stagedoor.v1.QueryService/GetPrim". Nothing for a method that is
// not of the API.
std::optional<RpcGroup> FindMethodGroup(std::string_view method);

// The same, with kAdmin for other methods, so that one that was forgotten is not open to all.
RpcGroup MethodGroup(std::string_view method);

// Whether calls of a method are served while memory is short: those that release something, and
// those with which operators see what happens.
bool IsEssentialMethod(std::string_view method);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_METHOD_GROUPS_H_
