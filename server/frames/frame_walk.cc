#include "server/frames/frame_walk.h"

#include <algorithm>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "server/frames/geometry_step.h"
#include "server/frames/object_steps.h"
#include "server/frames/placed_objects.h"
#include "server/frames/placement_steps.h"
#include "server/frames/steady_values.h"

namespace stagedoor::server {
namespace {

constexpr int64_t kStepsPerPresence = 16;

}  // namespace

absl::StatusOr<std::unique_ptr<FrameWalk>> FrameWalk::Start(RequestContext& context,
                                                            const FrameJob& job,
                                                            FrameFilter& filter) {
  std::unique_ptr<FrameWalk> walk(new FrameWalk(job, filter));
  walk->whole_.steady = std::make_shared<SteadyValues>(context);
  SD_RETURN_IF_ERROR(walk->AddSteps(context));
  return walk;
}

absl::Status FrameWalk::AddSteps(RequestContext& context) {
  if (job_.only_varying) {
    SD_RETURN_IF_ERROR(AddVarying(context));
  } else {
    AddAll(context);
  }
  steps_.Add<RemovalStep>(std::move(removed_));
  return context.Check();
}

void FrameWalk::AddAll(RequestContext& context) {
  const FramePlan& plan = *whole_.plan;
  made_ = std::make_unique<MadeObjects>(context, whole_);
  std::vector<uint32_t> materials, lights, gprims;
  for (uint32_t i = 0; i < plan.lights.size(); ++i) {
    made_->NeedMaterial(plan.lights[i].material, &materials);
    (plan.lights[i].is_gprim ? gprims : lights).push_back(i);
  }
  steps_.Add<MaterialStep>(context, whole_, std::move(materials));
  AddLights(context, std::move(lights));
  steps_.Add<LightSetStep>(whole_, made_->TakeLightSets());
  steps_.Add<PrimBatches>(whole_, *made_);
  AddLights(context, std::move(gprims));  // which name their prims
}

void FrameWalk::AddLights(RequestContext& context, std::vector<uint32_t> indices) {
  const auto lights = std::make_shared<PlacedLights>(whole_);
  steps_.Add<LightStep>(context, whole_, indices);
  steps_.Add<VisibilityStep>(lights, indices);
  steps_.Add<TransformStep>(lights, std::move(indices));
}

absl::Status FrameWalk::AddVarying(RequestContext& context) {
  const FramePlan& plan = *job_.plan;
  std::vector<uint32_t> blinking_lights, moving_lights;
  for (const uint32_t i : plan.varying_lights) {
    if (plan.lights[i].blinks) blinking_lights.push_back(i);
    if (plan.lights[i].moves) moving_lights.push_back(i);
  }
  const auto lights = std::make_shared<PlacedLights>(job_);
  const auto rows = std::make_shared<PlacedRows>(job_);
  steps_.Add<LightStep>(context, job_, plan.varying_lights);
  steps_.Add<VisibilityStep>(lights, std::move(blinking_lights));
  steps_.Add<TransformStep>(lights, std::move(moving_lights));
  steps_.Add<MaterialStep>(context, job_, plan.varying_materials);
  if (job_.request->without_invisible) SD_RETURN_IF_ERROR(FindComingAndGoing(context));
  if (job_.request->without_invisible && job_.base) {
    AddComingAndGoing(context);
  } else {
    steps_.Add<VisibilityStep>(rows, plan.blinking_prims);
  }
  SD_ASSIGN_OR_RETURN(std::vector<uint32_t> moving, StayingRows(context, plan.moving_prims));
  SD_ASSIGN_OR_RETURN(std::vector<uint32_t> subsets, StayingSubsets(context));
  steps_.Add<TransformStep>(rows, std::move(moving));
  steps_.Add<GeometryStep>(job_, StayingGeometry(), /*complete=*/false);
  steps_.Add<SubsetStep>(job_, std::move(subsets));
  return absl::OkStatus();
}

FrameWalk::Presence FrameWalk::PresenceOf(RequestContext& context, uint32_t row) const {
  const FramePrim& prim = job_.plan->prims[row];
  const bool is = job_.Has(context, prim, job_.frame());
  const bool was = job_.base ? job_.Has(context, prim, job_.base->frame) : is;
  if (is) return was ? Presence::kStays : Presence::kAppears;
  return was ? Presence::kDisappears : Presence::kAbsent;
}

absl::StatusOr<std::vector<uint32_t>> FrameWalk::StayingRows(
    RequestContext& context, const std::vector<uint32_t>& rows) const {
  if (!job_.request->without_invisible) return rows;
  std::vector<uint32_t> staying;
  Pacer pacer(context);
  for (const uint32_t row : rows) {
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerPresence));
    if (PresenceOf(context, row) == Presence::kStays) staying.push_back(row);
  }
  return staying;
}

std::vector<uint32_t> FrameWalk::StayingGeometry() const {
  const std::vector<uint32_t>& varying = job_.plan->varying_geometry;
  if (!job_.request->without_invisible) return varying;
  std::vector<uint32_t> staying;
  for (const uint32_t index : varying) {
    if (has_geometry_[index]) staying.push_back(index);
  }
  return staying;
}

absl::StatusOr<std::vector<uint32_t>> FrameWalk::StayingSubsets(RequestContext& context) const {
  const FramePlan& plan = *job_.plan;
  if (!job_.request->without_invisible) return plan.varying_subsets;
  std::vector<uint32_t> staying;
  Pacer pacer(context);
  for (const uint32_t index : plan.varying_subsets) {
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerPresence));
    if (PresenceOf(context, plan.subsets[index].prim) == Presence::kStays) {
      staying.push_back(index);
    }
  }
  return staying;
}

absl::Status FrameWalk::FindComingAndGoing(RequestContext& context) {
  const FramePlan& plan = *job_.plan;
  Pacer pacer(context);
  for (const uint32_t row : plan.blinking_prims) {
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerPresence));
    const Presence presence = PresenceOf(context, row);
    if (presence == Presence::kAppears) appearing_.push_back(row);
    if (presence == Presence::kDisappears) disappearing_.push_back(row);
  }
  has_geometry_.resize(plan.geometry.size());
  if (plan.varying_geometry.empty() && appearing_.empty() && disappearing_.empty()) {
    return context.Check();
  }
  // Which of the geometry that matters has rows that stay.
  std::vector<bool> matters(plan.geometry.size());
  for (const uint32_t index : plan.varying_geometry) matters[index] = true;
  for (const std::vector<uint32_t>* rows : {&appearing_, &disappearing_}) {
    for (const uint32_t row : *rows) {
      const uint32_t geometry = plan.prims[row].geometry;
      if (geometry != kNoIndex) matters[geometry] = true;
    }
  }
  for (uint32_t row = 0; row < plan.prims.size(); ++row) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const uint32_t geometry = plan.prims[row].geometry;
    if (geometry == kNoIndex || !matters[geometry] || has_geometry_[geometry]) continue;
    has_geometry_[geometry] = PresenceOf(context, row) == Presence::kStays;
  }
  return context.Check();
}

void FrameWalk::AddComingAndGoing(RequestContext& context) {
  for (const uint32_t row : disappearing_) Remove(row);
  if (appearing_.empty()) return;
  made_ = std::make_unique<MadeObjects>(context, whole_);
  made_->AddLightSets();
  for (const uint32_t row : appearing_) {
    const uint32_t geometry = job_.plan->prims[row].geometry;
    if (geometry != kNoIndex && has_geometry_[geometry]) made_->AddGeometry(geometry);
  }
  steps_.Add<PrimBatches>(whole_, *made_, std::move(appearing_));
}

void FrameWalk::Remove(uint32_t row) {
  const FramePlan& plan = *job_.plan;
  const FramePrim& prim = plan.prims[row];
  removed_.push_back(prim.id);
  filter_.RemoveObject(prim.id);
  if (prim.geometry != kNoIndex && !has_geometry_[prim.geometry]) {
    filter_.RemoveObject(plan.geometry[prim.geometry].id);
  }
  // Other rows may have these, too. The client need not keep them if none does.
  const auto forget = [this](FrameId material) {
    if (material != 0) filter_.RemoveObject(material);
  };
  forget(prim.material);
  auto subset = std::lower_bound(
      plan.subsets.begin(), plan.subsets.end(), row,
      [](const FrameSubset& subset, uint32_t prim_row) { return subset.prim < prim_row; });
  for (; subset != plan.subsets.end() && subset->prim == row; ++subset) {
    removed_.push_back(subset->id);
    filter_.RemoveObject(subset->id);
    forget(subset->material);
  }
}

}  // namespace stagedoor::server
