#include "server/sessions/audit.h"

#include <spdlog/spdlog.h>

#include "base/status.h"
#include "base/strings.h"
#include "server/access/caller.h"
#include "server/log/audit_sink.h"

namespace stagedoor::server {
namespace {

// Fills who asks, and records the entry.
void Record(AuditSink& audit, AuditSink::Entry entry) {
  const Caller* const caller = CurrentCaller();
  if (caller != nullptr) {
    entry.caller = caller->identity.name;
    entry.role = caller->grants->role;
    entry.peer = caller->peer;
  }
  audit.Record(entry);
}

}  // namespace

void AuditOpening(AuditSink& audit, std::string_view what, std::string_view asset,
                  const absl::Status& result) {
  Record(audit, {.method = what, .asset = asset, .decision = result});
}

void AuditAction(AuditSink& audit, std::string_view method, std::string_view action,
                 const absl::Status& result) {
  const std::string name = Concat("stagedoor.v1.AdminService/", method);
  Record(audit, {.method = name, .decision = result, .action = action});
  const std::string_view caller = CurrentCallerName();
  spdlog::info("{} asked to {}{}", caller.empty() ? "the program" : caller, action,
               result.ok() ? "" : Concat(": ", Message(result)));
}

}  // namespace stagedoor::server
