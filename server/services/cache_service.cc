#include "server/handlers/cache_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeCacheService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.CacheService");
  service->Unary("GetCacheStatistics", CallWeight::kNormal, GetCacheStatistics);
  service->Unary("PrefetchClips", CallWeight::kHeavy, PrefetchClips);
  return service;
}

}  // namespace stagedoor::server
