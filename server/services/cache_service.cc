#include "server/handlers/clip_handlers.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/cache.grpc.pb.h"

namespace stagedoor {
namespace {

class CacheServiceImpl final : public v1::CacheService::CallbackService {
 public:
  CacheServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  STAGEDOOR_UNARY_METHOD(CacheService, GetCacheStatistics)
  STAGEDOOR_UNARY_METHOD(CacheService, PrefetchClips)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeCacheService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<CacheServiceImpl>(runtime, state);
}

}  // namespace stagedoor
