#include "server/handlers/clip_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor {

std::unique_ptr<grpc::Service> MakeCacheService(CallRuntime& runtime, ServerState& state) {
  auto service = std::make_unique<HandlerService>(runtime, state, "stagedoor.v1.CacheService");
  service->Unary("GetCacheStatistics", Weight::kUsual, GetCacheStatistics);
  service->Unary("PrefetchClips", Weight::kHeavy, PrefetchClips);
  return service;
}

}  // namespace stagedoor
