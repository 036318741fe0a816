#ifndef STAGEDOOR_SERVER_HANDLERS_AUDIT_H_
#define STAGEDOOR_SERVER_HANDLERS_AUDIT_H_

#include <string_view>

#include "absl/status/status.h"
#include "server/handlers/server_state.h"

namespace stagedoor::server {

// Records that the caller opened an asset by name, or why it did not, if there is an audit log.
void AuditOpening(const ServerState& state, std::string_view what, std::string_view asset,
                  const absl::Status& result);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_AUDIT_H_
