#include "server/handlers/clip_handlers.h"
#include "server/handlers/layer_handlers.h"
#include "server/handlers/tool_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor {

std::unique_ptr<grpc::Service> MakeLayersService(CallRuntime& runtime, ServerState& state) {
  auto service = std::make_unique<HandlerService>(runtime, state, "stagedoor.v1.LayersService");
  service->Unary("ValidateLayer", Weight::kUsual, ValidateLayer);
  service->Stream("ReadLayer", Weight::kUsual, ReadLayer);
  service->Stream("ConvertLayer", Weight::kHeavy, ConvertLayer);
  service->Stream("FlattenStage", Weight::kHeavy, FlattenStage);
  service->Stream("StitchClips", Weight::kHeavy, StitchClips);
  service->Stream("GenerateClipManifest", Weight::kHeavy, GenerateClipManifest);
  service->Stream("ListDependencies", Weight::kHeavy, ListDependencies);
  service->Stream("LocalizeStage", Weight::kHeavy, LocalizeStage);
  return service;
}

}  // namespace stagedoor
