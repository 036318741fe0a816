#include "server/handlers/stats_handlers.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/stats.grpc.pb.h"

namespace stagedoor {
namespace {

class StatsServiceImpl final : public v1::StatsService::CallbackService {
 public:
  StatsServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  STAGEDOOR_UNARY_METHOD(StatsService, GetServerStatistics)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeStatsService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<StatsServiceImpl>(runtime, state);
}

}  // namespace stagedoor
