#ifndef STAGEDOOR_SERVER_HANDLERS_EVICT_CACHES_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_EVICT_CACHES_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/handlers/server_state.h"
#include "stagedoor/v1/admin.pb.h"

namespace stagedoor::server {

// The RPC EvictCaches; admin.proto documents it.
absl::Status EvictCaches(ServerState& state, RequestContext& context,
                         const v1::EvictCachesRequest& request, v1::EvictCachesResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_EVICT_CACHES_HANDLER_H_
