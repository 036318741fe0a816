#include "server/handlers/geom_handlers.h"
#include "server/handlers/geom_stream_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeGeomService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.GeomService");
  service->Unary("ComputeTransforms", CallWeight::kNormal, ComputeTransforms);
  service->Unary("ComputeVisibility", CallWeight::kNormal, ComputeVisibility);
  service->Unary("ComputeBounds", CallWeight::kNormal, ComputeBounds);
  service->Stream("GetPrimvars", CallWeight::kNormal, GetPrimvars);
  service->Stream("ComputeInstanceTransforms", CallWeight::kNormal, ComputeInstanceTransforms);
  return service;
}

}  // namespace stagedoor::server
