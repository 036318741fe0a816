#ifndef STAGEDOOR_SERVER_HANDLERS_ADMIN_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_ADMIN_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/admin.pb.h"

namespace stagedoor::server {

struct AdminState;

// The RPCs of AdminService that concern the process; admin.proto documents them.
absl::Status Drain(const AdminState& state, RequestContext& context,
                   const v1::DrainRequest& request, v1::DrainResponse* response);
absl::Status SetLogLevel(const AdminState& state, RequestContext& context,
                         const v1::SetLogLevelRequest& request, v1::SetLogLevelResponse* response);
absl::Status ReloadConfig(const AdminState& state, RequestContext& context,
                          const v1::ReloadConfigRequest& request,
                          v1::ReloadConfigResponse* response);
absl::Status GetConfig(const AdminState& state, RequestContext& context,
                       const v1::GetConfigRequest& request, v1::GetConfigResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_ADMIN_HANDLERS_H_
