#ifndef STAGEDOOR_SERVER_ACCESS_UNAUTHENTICATED_H_
#define STAGEDOOR_SERVER_ACCESS_UNAUTHENTICATED_H_

#include "absl/status/status.h"
#include "base/status.h"

namespace stagedoor::server {

// The credentials of a call prove nothing. The arguments are those of Concat; they must never hold
// a credential, because messages are sent to clients and logged.
template <typename... Args>
absl::Status UnauthenticatedError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kUnauthenticated, Concat(args...));
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_UNAUTHENTICATED_H_
