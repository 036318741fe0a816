#include "server/handlers/skel_handlers.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/skel.grpc.pb.h"

namespace stagedoor {
namespace {

class SkelServiceImpl final : public v1::SkelService::CallbackService {
 public:
  SkelServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  STAGEDOOR_STREAM_METHOD(SkelService, ListSkelBindings)
  STAGEDOOR_STREAM_METHOD(SkelService, ComputeJointTransforms)
  STAGEDOOR_STREAM_METHOD(SkelService, ComputeSkinnedPoints)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeSkelService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<SkelServiceImpl>(runtime, state);
}

}  // namespace stagedoor
