#include "server/handlers/audit.h"

#include "server/access/caller.h"
#include "server/log/audit_log.h"

namespace stagedoor::server {

void AuditOpening(const ServerState& state, std::string_view what, std::string_view asset,
                  const absl::Status& result) {
  if (state.audit == nullptr) return;
  const Caller* const caller = CurrentCaller::Get();
  AuditLog::Entry entry{.method = what, .asset = asset, .decision = result};
  if (caller != nullptr) {
    entry.caller = caller->identity.name;
    entry.role = caller->grants->role;
    entry.peer = caller->peer;
  }
  state.audit->Record(entry);
}

}  // namespace stagedoor::server
