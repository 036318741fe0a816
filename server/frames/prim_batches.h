#ifndef STAGEDOOR_SERVER_FRAMES_PRIM_BATCHES_H_
#define STAGEDOOR_SERVER_FRAMES_PRIM_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "server/frames/frame_job.h"
#include "server/frames/frame_step.h"

namespace stagedoor::server {

// The size of the first batch of prims.
inline constexpr size_t kFirstRows = 64;

// The materials, geometry and sets of lights of a plan that need not be made any more, so that each
// is made once, when it is needed first. For one thread.
class MadeObjects {
 public:
  // `job` must outlive it. Its plan may grow.
  MadeObjects(RequestContext& context, const FrameJob& job) : reserved_(context), job_(job) {}

  // Adds the index of a material that was not made yet. `id` may be 0, which is no material.
  void NeedMaterial(FrameId id, std::vector<uint32_t>* out);
  // Likewise for geometry; `index` may be kNoIndex.
  void NeedGeometry(uint32_t index, std::vector<uint32_t>* out);
  // The client has a geometry.
  void AddGeometry(uint32_t index) { SetGeometry(index); }
  // The indices of the sets of lights that were not made yet, which are made by this.
  std::vector<uint32_t> TakeLightSets();
  // The client has all sets of lights.
  void AddLightSets() { light_sets_ = job_.plan->light_sets.size(); }

 private:
  // The index of a material; kNoIndex for no material.
  uint32_t NumberOf(FrameId id);
  // Sets that a geometry is made. Whether it was not.
  bool SetGeometry(uint32_t index);

  Reservation reserved_;
  const FrameJob& job_;
  std::unordered_map<FrameId, uint32_t> numbers_;  // of the first materials of the plan
  std::vector<bool> materials_;
  std::vector<bool> geometry_;
  size_t light_sets_ = 0;  // how many are made
};

// Rows and their visibility at the frame.
class RowStep final : public FrameStep {
 public:
  RowStep(const FrameJob& job, std::vector<uint32_t> rows) : job_(job), rows_(std::move(rows)) {}

  absl::StatusOr<bool> Continue(FrameWriter& writer) override;

 private:
  const FrameJob& job_;
  const std::vector<uint32_t> rows_;
  size_t next_ = 0;
};

// Prims with all that they have: batch by batch, so that a client can begin with the first ones,
// and each batch with the sets of lights, materials and geometry that are new in it. Leaves out
// rows that the frame does not have. Batches become larger, because the first one should come soon.
//
// Plans further prims when those of the plan are made. The geometry of instancers waits for the
// whole plan, which says what their prototypes are.
class PrimBatches final : public FrameStep {
 public:
  // For some rows of the plan, or for all. The job must have no base; it and `made` must outlive
  // the step.
  PrimBatches(FrameJob& job, MadeObjects& made,
              std::optional<std::vector<uint32_t>> rows = std::nullopt)
      : job_(job), made_(made), rows_(std::move(rows)) {}

  absl::StatusOr<bool> Continue(FrameWriter& writer) override;

 private:
  size_t size() const { return rows_ ? rows_->size() : job_.plan->prims.size(); }
  absl::Status TakeBatch(RequestContext& context);
  // The indices of the subsets of some rows, which ascend.
  std::vector<uint32_t> SubsetsOf(const std::vector<uint32_t>& rows) const;

  // Takes the geometry that is waiting if the plan is whole; otherwise, that of instancers waits.
  void HoldInstancers(std::vector<uint32_t>* geometry);

  FrameJob& job_;
  MadeObjects& made_;
  const std::optional<std::vector<uint32_t>> rows_;
  size_t next_ = 0;  // after the batch
  size_t batch_size_ = kFirstRows;
  std::vector<uint32_t> waiting_;  // geometry
  FrameSteps steps_;               // of the batch
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_PRIM_BATCHES_H_
