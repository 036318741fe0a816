#include "server/handlers/geom_handlers.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/geom.grpc.pb.h"

namespace stagedoor {
namespace {

class GeomServiceImpl final : public v1::GeomService::CallbackService {
 public:
  GeomServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  STAGEDOOR_UNARY_METHOD(GeomService, ComputeTransforms)
  STAGEDOOR_UNARY_METHOD(GeomService, ComputeVisibility)
  STAGEDOOR_UNARY_METHOD(GeomService, ComputeBounds)
  STAGEDOOR_STREAM_METHOD(GeomService, GetPrimvars)
  STAGEDOOR_STREAM_METHOD(GeomService, ComputeInstanceTransforms)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeGeomService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<GeomServiceImpl>(runtime, state);
}

}  // namespace stagedoor
