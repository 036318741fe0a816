#include "server/frames/prim_batches.h"

#include <algorithm>

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

MadeObjects::MadeObjects(RequestContext& context, const FramePlan& plan) : reserved_(context) {
  const size_t materials = plan.materials.size();
  const size_t bytes = materials * sizeof(numbers_[0]) + (materials + plan.geometry.size()) / 8;
  // A failure stays in the context, which each step checks.
  reserved_.Grow(bytes, "the objects of a frame").IgnoreError();
  numbers_.reserve(materials);
  for (uint32_t i = 0; i < materials; ++i) numbers_.emplace_back(plan.materials[i].id, i);
  std::sort(numbers_.begin(), numbers_.end());
  materials_.resize(materials);
  geometry_.resize(plan.geometry.size());
}

void MadeObjects::NeedMaterial(FrameId id, std::vector<uint32_t>* out) {
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), std::pair(id, uint32_t{0}));
  if (at == numbers_.end() || at->first != id || materials_[at->second]) return;
  materials_[at->second] = true;
  out->push_back(at->second);
}

void MadeObjects::NeedGeometry(uint32_t index, std::vector<uint32_t>* out) {
  if (index == kNoIndex || geometry_[index]) return;
  geometry_[index] = true;
  out->push_back(index);
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
    if (next_ == size()) return true;
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
  steps_ = FrameSteps();
  steps_.Add<MaterialStep>(context, job_, std::move(materials));
  steps_.Add<RowStep>(job_, rows);
  steps_.Add<TransformStep>(std::make_shared<PlacedRows>(job_), std::move(rows));
  steps_.Add<GeometryStep>(job_, std::move(geometry), /*complete=*/true);
  steps_.Add<SubsetStep>(job_, std::move(subsets));
  return context.Check();
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
