#ifndef STAGEDOOR_SERVER_FRAMES_GEOMETRY_STEP_H_
#define STAGEDOOR_SERVER_FRAMES_GEOMETRY_STEP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/frames/frame_job.h"
#include "server/frames/frame_step.h"
#include "server/frames/geometry_batch.h"

namespace stagedoor::server {

// The values, fields and instances of some geometry of a plan: all of them if `complete`, otherwise
// those that vary, and may differ from the base of the job if it has one. Computed in parallel,
// some geometry at a time.
class GeometryStep final : public FrameStep {
 public:
  // `job` must outlive the step.
  GeometryStep(const FrameJob& job, std::vector<uint32_t> indices, bool complete)
      : job_(job), indices_(std::move(indices)), complete_(complete) {}

  absl::StatusOr<bool> Continue(FrameWriter& writer) override;

 private:
  absl::Status TakeBatch(RequestContext& context);
  // Computes what was left out because the batch had too many bytes.
  absl::Status Complete(RequestContext& context, ComputedGeometry* computed) const;
  absl::Status Write(const ComputedGeometry& computed, FrameWriter& writer);

  const FrameJob& job_;
  const std::vector<uint32_t> indices_;
  const bool complete_;
  size_t next_ = 0;  // index into indices_, after the batch
  size_t batch_size_ = 8;
  std::vector<ComputedGeometry> batch_;
  size_t next_of_batch_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_GEOMETRY_STEP_H_
