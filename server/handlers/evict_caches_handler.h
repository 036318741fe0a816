#ifndef STAGEDOOR_SERVER_HANDLERS_EVICT_CACHES_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_EVICT_CACHES_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/admin.pb.h"

namespace stagedoor::server {

struct AdminState;

// The RPC EvictCaches; admin.proto documents it.
absl::Status EvictCaches(const AdminState& state, RequestContext& context,
                         const v1::EvictCachesRequest& request, v1::EvictCachesResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_EVICT_CACHES_HANDLER_H_
