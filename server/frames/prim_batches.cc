#include "server/frames/prim_batches.h"

#include <algorithm>
#include <numeric>

#include "base/heap_costs.h"
#include "base/pacer.h"
#include "base/status_macros.h"
#include "server/frames/geometry_step.h"
#include "server/frames/object_steps.h"
#include "server/frames/placed_objects.h"
#include "server/frames/placement_steps.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMostRowsOfBatch = 4096;
constexpr int64_t kStepsPerRow = 16;

}  // namespace

void MadeObjects::NeedMaterial(FrameId id, std::vector<uint32_t>* out) {
  const uint32_t index = NumberOf(id);
  if (index == kNoIndex || materials_[index]) return;
  materials_[index] = true;
  out->push_back(index);
}

uint32_t MadeObjects::NumberOf(FrameId id) {
  if (id == 0) return kNoIndex;
  const std::vector<FrameMaterial>& materials = job_.plan->materials;
  if (const size_t known = numbers_.size(); known < materials.size()) {
    // A failure stays in the context, which each step checks.
    reserved_.Grow((materials.size() - known) * (kNodeBytes + 1), "materials").IgnoreError();
    for (size_t i = known; i < materials.size(); ++i) {
      numbers_.emplace(materials[i].id, static_cast<uint32_t>(i));
    }
    materials_.resize(materials.size());
  }
  const auto at = numbers_.find(id);
  return at == numbers_.end() ? kNoIndex : at->second;
}

void MadeObjects::NeedGeometry(uint32_t index, std::vector<uint32_t>* out) {
  if (index != kNoIndex && SetGeometry(index)) out->push_back(index);
}

bool MadeObjects::SetGeometry(uint32_t index) {
  if (const size_t known = geometry_.size(); index >= known) {
    const size_t count = job_.plan->geometry.size();
    reserved_.Grow((count - known) / 8 + 1, "geometry").IgnoreError();
    geometry_.resize(count);
  }
  const bool is_new = !geometry_[index];
  geometry_[index] = true;
  return is_new;
}

std::vector<uint32_t> MadeObjects::TakeLightSets() {
  std::vector<uint32_t> indices(job_.plan->light_sets.size() - light_sets_);
  std::iota(indices.begin(), indices.end(), static_cast<uint32_t>(light_sets_));
  AddLightSets();
  return indices;
}

absl::StatusOr<bool> RowStep::Continue(FrameWriter& writer) {
  RequestContext& context = writer.context();
  Pacer pacer(context);
  for (; next_ < rows_.size() && writer.HasRoom(); ++next_) {
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerRow));
    const FramePrim& row = job_.plan->prims[rows_[next_]];
    SD_RETURN_IF_ERROR(writer.AddRow(*job_.plan, row));
    SD_RETURN_IF_ERROR(writer.AddVisibility(row.id, job_.IsVisible(context, row, job_.frame())));
  }
  SD_RETURN_IF_ERROR(context.Check());
  return next_ == rows_.size();
}

absl::StatusOr<bool> PrimBatches::Continue(FrameWriter& writer) {
  for (;;) {
    SD_ASSIGN_OR_RETURN(const bool done, steps_.Continue(writer));
    if (!done) return false;
    if (next_ == size() && job_.planning != nullptr) {
      SD_RETURN_IF_ERROR(job_.PlanMore(batch_size_));
    }
    if (next_ == size() && waiting_.empty()) return true;
    SD_RETURN_IF_ERROR(TakeBatch(writer.context()));
  }
}

absl::Status PrimBatches::TakeBatch(RequestContext& context) {
  const size_t end = std::min(next_ + batch_size_, size());
  batch_size_ = std::min(batch_size_ * 2, kMostRowsOfBatch);
  std::vector<uint32_t> rows, materials, geometry;
  Pacer pacer(context);
  for (; next_ < end; ++next_) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const uint32_t row = rows_ ? (*rows_)[next_] : static_cast<uint32_t>(next_);
    const FramePrim& prim = job_.plan->prims[row];
    if (!job_.Has(context, prim, job_.frame())) continue;
    rows.push_back(row);
    made_.NeedMaterial(prim.material, &materials);
    made_.NeedGeometry(prim.geometry, &geometry);
  }
  std::vector<uint32_t> subsets = SubsetsOf(rows);
  for (const uint32_t subset : subsets) {
    made_.NeedMaterial(job_.plan->subsets[subset].material, &materials);
  }
  HoldInstancers(&geometry);
  steps_ = FrameSteps();
  steps_.Add<LightSetStep>(job_, made_.TakeLightSets());
  steps_.Add<MaterialStep>(context, job_, std::move(materials));
  steps_.Add<RowStep>(job_, rows);
  steps_.Add<TransformStep>(std::make_shared<PlacedRows>(job_), std::move(rows));
  steps_.Add<GeometryStep>(job_, std::move(geometry), /*complete=*/true);
  steps_.Add<SubsetStep>(job_, std::move(subsets));
  return context.Check();
}

void PrimBatches::HoldInstancers(std::vector<uint32_t>* geometry) {
  if (job_.planning == nullptr) {
    geometry->insert(geometry->begin(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    return;
  }
  const auto held = std::stable_partition(
      geometry->begin(), geometry->end(),
      [this](uint32_t index) { return !job_.plan->geometry[index].is_instancer; });
  waiting_.insert(waiting_.end(), held, geometry->end());
  geometry->erase(held, geometry->end());
}

std::vector<uint32_t> PrimBatches::SubsetsOf(const std::vector<uint32_t>& rows) const {
  const std::vector<FrameSubset>& all = job_.plan->subsets;
  std::vector<uint32_t> found;
  auto at = all.begin();
  for (const uint32_t row : rows) {
    at = std::lower_bound(at, all.end(), row, [](const FrameSubset& subset, uint32_t prim) {
      return subset.prim < prim;
    });
    for (; at != all.end() && at->prim == row; ++at) {
      found.push_back(static_cast<uint32_t>(at - all.begin()));
    }
  }
  return found;
}

}  // namespace stagedoor::server
