#include "server/handlers/stats_handler.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeStatsService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.StatsService");
  service->Unary("GetServerStatistics", CallWeight::kNormal, GetServerStatistics);
  return service;
}

}  // namespace stagedoor::server
