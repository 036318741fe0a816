#ifndef STAGEDOOR_SERVER_ACCESS_CALLER_H_
#define STAGEDOOR_SERVER_ACCESS_CALLER_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/request_scope.h"
#include "server/access/grants.h"
#include "server/access/identity.h"

namespace stagedoor::server {

// The caller of an RPC and its permissions. Immutable, shared by the calls of a connection.
struct Caller : RequestCaller {
  Identity identity;
  std::shared_ptr<const Grants> grants;
  // Names the share of the daemon that the caller uses: the identity's name or, where nothing was
  // proved, the name of the client's address.
  std::string share;
  // The address of the client without the port; empty inside the process.
  std::string peer;
};

// The caller whose call the thread works on. Null outside of calls, and for calls inside the
// process.
inline const Caller* CurrentCaller() {
  return static_cast<const Caller*>(RequestScope::Current().caller);
}

// The name of the caller whose call the thread works on; empty inside the process.
inline std::string_view CurrentCallerName() {
  const Caller* const caller = CurrentCaller();
  return caller == nullptr ? std::string_view() : caller->identity.name;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_CALLER_H_
