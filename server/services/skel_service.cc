#include "server/handlers/skel_handlers.h"
#include "server/handlers/skinning_handler.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {
namespace {

// The maximum number of prims, at one time, of a call that runs inline. It takes a fraction of a
// millisecond for meshes of usual size.
constexpr int kMaxInlinePrims = 32;

bool HasFewPrims(const v1::ComputeSkinnedPointsRequest& request) {
  const v1::TimeSelection& times = request.times();
  return request.paths_size() > 0 && request.paths_size() <= kMaxInlinePrims &&
         times.ranges().empty() && times.times_size() + times.frames_size() <= 1;
}

}  // namespace

std::unique_ptr<grpc::Service> MakeSkelService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.SkelService");
  service->Stream("ComputeSkinnedPoints", CallWeight::kInline, ComputeSkinnedPoints, HasFewPrims);
  service->Stream("ListSkelBindings", CallWeight::kNormal, ListSkelBindings);
  service->Stream("ComputeJointTransforms", CallWeight::kNormal, ComputeJointTransforms);
  return service;
}

}  // namespace stagedoor::server
