#include "server/handlers/stages_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor {

std::unique_ptr<grpc::Service> MakeStagesService(CallRuntime& runtime, ServerState& state) {
  auto service = std::make_unique<HandlerService>(runtime, state, "stagedoor.v1.StagesService");
  service->Unary("OpenStage", Weight::kUsual, OpenStage);
  service->Unary("GetStage", Weight::kUsual, GetStage);
  service->Unary("ListStages", Weight::kUsual, ListStages);
  service->Unary("CloseStage", Weight::kUsual, CloseStage);
  service->Unary("RenewLease", Weight::kLight, RenewLease);
  service->Unary("SetSessionLayer", Weight::kUsual, SetSessionLayer);
  service->Unary("LoadPrims", Weight::kUsual, LoadPrims);
  service->Unary("UnloadPrims", Weight::kUsual, UnloadPrims);
  service->Unary("ReloadStage", Weight::kUsual, ReloadStage);
  service->Unary("MuteLayers", Weight::kUsual, MuteLayers);
  return service;
}

}  // namespace stagedoor
