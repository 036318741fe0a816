#include "server/frames/placed_objects.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/xform_batch.h"

namespace stagedoor::server {
namespace {

std::vector<Prim> PrimsOf(const FramePlan& plan, std::span<const uint32_t> lights) {
  std::vector<Prim> prims;
  prims.reserve(lights.size());
  for (const uint32_t light : lights) prims.push_back(plan.lights[light].prim);
  return prims;
}

}  // namespace

FrameId PlacedRows::IdOf(uint32_t index) const { return job().plan->prims[index].id; }

bool PlacedRows::IsVisible(RequestContext& context, uint32_t index, TimeCode time) const {
  return job().IsVisible(context, job().plan->prims[index], time);
}

absl::StatusOr<XformMotion> PlacedRows::FindMotion(RequestContext& context,
                                                   std::span<const uint32_t> indices, double begin,
                                                   double end) const {
  return FindFrameXformMotion(context, *job().plan, indices, begin, end);
}

absl::StatusOr<FrameXforms> PlacedRows::Compute(RequestContext& context,
                                                std::span<const uint32_t> indices,
                                                std::span<const TimeCode> times) const {
  return ComputeFrameXforms(context, *job().plan, indices, times, job().executor);
}

FrameId PlacedLights::IdOf(uint32_t index) const { return job().plan->lights[index].id; }

bool PlacedLights::IsVisible(RequestContext& context, uint32_t index, TimeCode time) const {
  const FrameLight& light = job().plan->lights[index];
  if (!light.blinks) return light.visible;
  return ComputeVisibility(context, light.prim, time) != Geom().invisible;
}

absl::StatusOr<XformMotion> PlacedLights::FindMotion(RequestContext& context,
                                                     std::span<const uint32_t> indices,
                                                     double begin, double end) const {
  return FindXformMotion(context, PrimsOf(*job().plan, indices), begin, end);
}

absl::StatusOr<FrameXforms> PlacedLights::Compute(RequestContext& context,
                                                  std::span<const uint32_t> indices,
                                                  std::span<const TimeCode> times) const {
  SD_ASSIGN_OR_RETURN(XformBatch batch, ComputeXforms(context, PrimsOf(*job().plan, indices), times,
                                                      /*with_local=*/false, job().executor));
  return FrameXforms{std::move(batch.world), std::move(batch.reserved)};
}

}  // namespace stagedoor::server
