#ifndef STAGEDOOR_SERVER_HANDLERS_CACHE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_CACHE_HANDLERS_H_

#include "absl/status/status.h"
#include "server/handlers/server_state.h"
#include "stagedoor/v1/cache.pb.h"

namespace stagedoor::server {

// The RPCs of CacheService; cache.proto documents them.
absl::Status GetCacheStatistics(ServerState& state, RequestContext& context,
                                const v1::GetCacheStatisticsRequest& request,
                                v1::GetCacheStatisticsResponse* response);
absl::Status PrefetchClips(ServerState& state, RequestContext& context,
                           const v1::PrefetchClipsRequest& request,
                           v1::PrefetchClipsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_CACHE_HANDLERS_H_
