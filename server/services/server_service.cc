#include "server/handlers/server_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeServerService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.ServerService");
  service->Unary("GetCapabilities", CallWeight::kNormal, GetCapabilities);
  service->Unary("GetServerStatistics", CallWeight::kNormal, GetServerStatistics);
  return service;
}

}  // namespace stagedoor::server
