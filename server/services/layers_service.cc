#include "server/handlers/clip_handlers.h"
#include "server/handlers/layer_handlers.h"
#include "server/handlers/tool_handlers.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/layers.grpc.pb.h"

namespace stagedoor {
namespace {

class LayersServiceImpl final : public v1::LayersService::CallbackService {
 public:
  LayersServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  STAGEDOOR_UNARY_METHOD(LayersService, ValidateLayer)
  STAGEDOOR_STREAM_METHOD(LayersService, ReadLayer)
  STAGEDOOR_STREAM_METHOD(LayersService, ConvertLayer)
  STAGEDOOR_STREAM_METHOD(LayersService, FlattenStage)
  STAGEDOOR_STREAM_METHOD(LayersService, StitchClips)
  STAGEDOOR_STREAM_METHOD(LayersService, GenerateClipManifest)
  STAGEDOOR_STREAM_METHOD(LayersService, ListDependencies)
  STAGEDOOR_STREAM_METHOD(LayersService, LocalizeStage)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeLayersService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<LayersServiceImpl>(runtime, state);
}

}  // namespace stagedoor
