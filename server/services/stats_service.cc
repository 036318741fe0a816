#include "server/handlers/stats_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor {

std::unique_ptr<grpc::Service> MakeStatsService(CallRuntime& runtime, ServerState& state) {
  auto service = std::make_unique<HandlerService>(runtime, state, "stagedoor.v1.StatsService");
  service->Unary("GetServerStatistics", Weight::kUsual, GetServerStatistics);
  return service;
}

}  // namespace stagedoor
