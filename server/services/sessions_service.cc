#include "server/handlers/edit_stage_handler.h"
#include "server/handlers/watch_handler.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeSessionsService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.SessionsService");
  service->Unary("EditStage", CallWeight::kNormal, EditStage);
  service->Stream("ExportSessionLayer", CallWeight::kNormal, ExportSessionLayer);
  service->Stream("WatchStage", CallWeight::kNormal, WatchStage);
  return service;
}

}  // namespace stagedoor::server
