#ifndef STAGEDOOR_SERVER_HANDLERS_CALLER_SCOPE_H_
#define STAGEDOOR_SERVER_HANDLERS_CALLER_SCOPE_H_

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
  const Caller* const caller = CurrentCaller::Get();
  return caller == nullptr ? nullptr : caller->grants->assets;
}

// The context for assets that a request names outside of a stage.
inline ResolverContext ContextOfCaller() {
  return ResolverContext::Create({.access = ScopeOfCaller()});
}

// Whose named sessions the caller shares: those of its own that read the same assets.
inline std::string OwnerOfSessions() {
  const auto scope = ScopeOfCaller();
  return Concat(CurrentCallerName(), '\0', scope == nullptr ? "" : scope->fingerprint());
}

// Whether the caller may learn of an asset, given by its identifier or resolved path.
inline bool CallerMayRead(std::string_view path) {
  const auto scope = ScopeOfCaller();
  return scope == nullptr || scope->IncludesName(path);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_CALLER_SCOPE_H_
