#ifndef STAGEDOOR_SERVER_SESSIONS_AUDIT_H_
#define STAGEDOOR_SERVER_SESSIONS_AUDIT_H_

#include <string_view>

#include "absl/status/status.h"

namespace stagedoor::server {

class AuditSink;

// Records that the caller opened an asset by name, or why it did not.
void AuditOpening(AuditSink& audit, std::string_view what, std::string_view asset,
                  const absl::Status& result);

// Records what the caller did to the daemon by a method of AdminService, also in the log. `action`
// continues "asked to".
void AuditAction(AuditSink& audit, std::string_view method, std::string_view action,
                 const absl::Status& result);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_AUDIT_H_
