#include "server/handlers/clip_handlers.h"
#include "server/handlers/dependency_handlers.h"
#include "server/handlers/flatten_handler.h"
#include "server/handlers/layer_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeLayersService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.LayersService");
  service->Unary("ValidateLayer", CallWeight::kNormal, ValidateLayer);
  service->Stream("ReadLayer", CallWeight::kNormal, ReadLayer);
  service->Stream("ConvertLayer", CallWeight::kHeavy, ConvertLayer);
  service->Stream("FlattenStage", CallWeight::kHeavy, FlattenStage);
  service->Stream("StitchClips", CallWeight::kHeavy, StitchClips);
  service->Stream("GenerateClipManifest", CallWeight::kHeavy, GenerateClipManifest);
  service->Stream("ListDependencies", CallWeight::kHeavy, ListDependencies);
  service->Stream("LocalizeStage", CallWeight::kHeavy, LocalizeStage);
  return service;
}

}  // namespace stagedoor::server
