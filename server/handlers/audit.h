#ifndef STAGEDOOR_SERVER_HANDLERS_AUDIT_H_
#define STAGEDOOR_SERVER_HANDLERS_AUDIT_H_

#include <string_view>

#include "absl/status/status.h"
#include "server/handlers/server_state.h"

namespace stagedoor::server {

// Records that the caller opened an asset by name, or why it did not, if there is an audit log.
void AuditOpening(const ServerState& state, std::string_view what, std::string_view asset,
                  const absl::Status& result);

// Records what the caller did to the daemon by a method of AdminService, in the audit log if there
// is one, and in the log. `action` continues "asked to".
void AuditAction(const ServerState& state, std::string_view method, std::string_view action,
                 const absl::Status& result);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_AUDIT_H_
