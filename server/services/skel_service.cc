#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "server/handlers/skel_handlers.h"
#include "server/rpc/raw_stream.h"
#include "server/services/raw_method.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/skel.grpc.pb.h"

namespace stagedoor {
namespace {

using SkelServiceBase =
    v1::SkelService::WithRawCallbackMethod_ComputeSkinnedPoints<v1::SkelService::CallbackService>;

// Some prims at one time: a fraction of a millisecond for meshes of usual size.
constexpr size_t kLightBytes = 4096;
constexpr int kLightPrims = 32;

bool IsLight(const grpc::ByteBuffer& bytes) {
  if (bytes.Length() > kLightBytes) return false;
  const auto request = ParseRawRequest<v1::ComputeSkinnedPointsRequest>(bytes);
  if (!request.ok()) return true;
  const v1::TimeSelection& times = request->times();
  return request->paths_size() > 0 && request->paths_size() <= kLightPrims &&
         times.ranges().empty() && times.times_size() + times.frames_size() <= 1;
}

class SkelServiceImpl final : public SkelServiceBase {
 public:
  SkelServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  grpc::ServerWriteReactor<grpc::ByteBuffer>* ComputeSkinnedPoints(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) override {
    return RawCall::Start(runtime_, ComputeSkinnedPoints_counters_, context, request, skin_,
                          IsLight(*request));
  }

  const RawCall::Handler skin_ = RawHandler<v1::ComputeSkinnedPointsRequest>(
      [this](RequestContext& call,
             const v1::ComputeSkinnedPointsRequest& request) -> absl::StatusOr<RawStreamPtr> {
        SD_ASSIGN_OR_RETURN(auto stream, stagedoor::ComputeSkinnedPoints(state_, call, request));
        return std::make_unique<WireStream<WirePieces>>(std::move(stream));
      });
  MethodCounters& ComputeSkinnedPoints_counters_ =
      runtime_.CountersOf("stagedoor.v1.SkelService/ComputeSkinnedPoints");

  STAGEDOOR_STREAM_METHOD(SkelService, ListSkelBindings)
  STAGEDOOR_STREAM_METHOD(SkelService, ComputeJointTransforms)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeSkelService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<SkelServiceImpl>(runtime, state);
}

}  // namespace stagedoor
