#include "server/handlers/geom_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor {

std::unique_ptr<grpc::Service> MakeGeomService(CallRuntime& runtime, ServerState& state) {
  auto service = std::make_unique<HandlerService>(runtime, state, "stagedoor.v1.GeomService");
  service->Unary("ComputeTransforms", Weight::kUsual, ComputeTransforms);
  service->Unary("ComputeVisibility", Weight::kUsual, ComputeVisibility);
  service->Unary("ComputeBounds", Weight::kUsual, ComputeBounds);
  service->Stream("GetPrimvars", Weight::kUsual, GetPrimvars);
  service->Stream("ComputeInstanceTransforms", Weight::kUsual, ComputeInstanceTransforms);
  return service;
}

}  // namespace stagedoor
