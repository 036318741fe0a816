#include "server/handlers/edit_handlers.h"
#include "server/handlers/stage_handlers.h"
#include "server/handlers/warm_handler.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeStagesService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.StagesService");
  service->Unary("OpenStage", CallWeight::kNormal, OpenStage);
  service->Unary("GetStage", CallWeight::kNormal, GetStage);
  service->Unary("ListStages", CallWeight::kNormal, ListStages);
  service->Unary("CloseStage", CallWeight::kNormal, CloseStage);
  service->Unary("RenewLease", CallWeight::kInline, RenewLease);
  service->Unary("SetSessionLayer", CallWeight::kNormal, SetSessionLayer);
  service->Unary("LoadPrims", CallWeight::kNormal, LoadPrims);
  service->Unary("UnloadPrims", CallWeight::kNormal, UnloadPrims);
  service->Unary("ReloadStage", CallWeight::kNormal, ReloadStage);
  service->Unary("MuteLayers", CallWeight::kNormal, MuteLayers);
  service->Stream("WarmStage", CallWeight::kHeavy, WarmStage);
  return service;
}

}  // namespace stagedoor::server
