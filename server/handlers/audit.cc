#include "server/handlers/audit.h"

#include <spdlog/spdlog.h>

#include "base/status.h"
#include "base/strings.h"
#include "server/access/caller.h"
#include "server/log/audit_log.h"

namespace stagedoor::server {
namespace {

// Fills who asks, and records the entry.
void Record(const ServerState& state, AuditLog::Entry entry) {
  if (state.audit == nullptr) return;
  const Caller* const caller = CurrentCaller::Get();
  if (caller != nullptr) {
    entry.caller = caller->identity.name;
    entry.role = caller->grants->role;
    entry.peer = caller->peer;
  }
  state.audit->Record(entry);
}

}  // namespace

void AuditOpening(const ServerState& state, std::string_view what, std::string_view asset,
                  const absl::Status& result) {
  Record(state, {.method = what, .asset = asset, .decision = result});
}

void AuditAction(const ServerState& state, std::string_view method, std::string_view action,
                 const absl::Status& result) {
  const std::string name = Concat("stagedoor.v1.AdminService/", method);
  Record(state, {.method = name, .decision = result, .action = action});
  const std::string_view caller = CurrentCallerName();
  spdlog::info("{} asked to {}{}", caller.empty() ? "the program" : caller, action,
               result.ok() ? "" : Concat(": ", Message(result)));
}

}  // namespace stagedoor::server
