#ifndef STAGEDOOR_SERVER_HANDLERS_CACHE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_CACHE_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/cache.pb.h"

namespace stagedoor::server {

struct CacheState;
struct QueryState;

// The RPCs of CacheService; cache.proto documents them.
absl::Status GetCacheStatistics(const CacheState& state, RequestContext& context,
                                const v1::GetCacheStatisticsRequest& request,
                                v1::GetCacheStatisticsResponse* response);
absl::Status PrefetchClips(const QueryState& state, RequestContext& context,
                           const v1::PrefetchClipsRequest& request,
                           v1::PrefetchClipsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_CACHE_HANDLERS_H_
