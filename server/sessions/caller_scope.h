#ifndef STAGEDOOR_SERVER_SESSIONS_CALLER_SCOPE_H_
#define STAGEDOOR_SERVER_SESSIONS_CALLER_SCOPE_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "resolver/access/access_scope.h"
#include "resolver/resolver_context.h"
#include "server/access/caller.h"

namespace stagedoor::server {

// The assets that the caller may read; null for all.
inline std::shared_ptr<const AccessScope> ScopeOfCaller() {
  const Caller* const caller = CurrentCaller();
  return caller == nullptr ? nullptr : caller->grants->assets;
}

// The context for assets that a request names outside of a stage.
inline ResolverContext ContextOfCaller() {
  return ResolverContext::Create({.access = ScopeOfCaller()});
}

// The fingerprint of that scope; empty for all assets. Valid during the step of the call.
inline std::string_view ScopeFingerprintOfCaller() {
  const Caller* const caller = CurrentCaller();
  if (caller == nullptr || caller->grants->assets == nullptr) return {};
  return caller->grants->assets->fingerprint();
}

// Names the owner of the caller's named sessions, which are shared by its calls that may read the
// same assets.
inline std::string OwnerOfSessions() {
  return Concat(CurrentCallerName(), '\0', ScopeFingerprintOfCaller());
}

// Whether the caller may learn of an asset, given by its identifier or resolved path.
inline bool CallerMayRead(std::string_view path) {
  const auto scope = ScopeOfCaller();
  return scope == nullptr || scope->IncludesName(path);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_CALLER_SCOPE_H_
