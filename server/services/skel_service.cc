#include "server/handlers/skel_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor {
namespace {

// Some prims at one time: a fraction of a millisecond for meshes of usual size.
constexpr int kLightPrims = 32;

bool HasFewPrims(const v1::ComputeSkinnedPointsRequest& request) {
  const v1::TimeSelection& times = request.times();
  return request.paths_size() > 0 && request.paths_size() <= kLightPrims &&
         times.ranges().empty() && times.times_size() + times.frames_size() <= 1;
}

}  // namespace

std::unique_ptr<grpc::Service> MakeSkelService(CallRuntime& runtime, ServerState& state) {
  auto service = std::make_unique<HandlerService>(runtime, state, "stagedoor.v1.SkelService");
  service->Stream("ComputeSkinnedPoints", Weight::kLight, ComputeSkinnedPoints, HasFewPrims);
  service->Stream("ListSkelBindings", Weight::kUsual, ListSkelBindings);
  service->Stream("ComputeJointTransforms", Weight::kUsual, ComputeJointTransforms);
  return service;
}

}  // namespace stagedoor
