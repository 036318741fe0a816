#include "server/frames/placed_objects.h"

namespace stagedoor::server {

absl::StatusOr<XformMotion> PlacedObjects::FindMotion(RequestContext& context,
                                                      std::span<const uint32_t> indices,
                                                      double begin, double end) const {
  return FindFrameXformMotion(context, *job_.plan, PlacesAt(indices), begin, end);
}

absl::StatusOr<FrameXforms> PlacedObjects::Compute(RequestContext& context,
                                                   std::span<const uint32_t> indices,
                                                   std::span<const TimeCode> times) const {
  return ComputeFrameXforms(context, *job_.plan, PlacesAt(indices), times, job_.executor);
}

}  // namespace stagedoor::server
