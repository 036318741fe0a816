#ifndef STAGEDOOR_SERVER_FRAMES_PLACEMENT_STEPS_H_
#define STAGEDOOR_SERVER_FRAMES_PLACEMENT_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/geom/motion_times.h"
#include "server/frames/frame_step.h"
#include "server/frames/placed_objects.h"

namespace stagedoor::server {

// The visibility of some rows or lights: if the job has a base, of those that differ from it.
class VisibilityStep final : public FrameStep {
 public:
  VisibilityStep(std::shared_ptr<const PlacedObjects> objects, std::vector<uint32_t> indices)
      : objects_(std::move(objects)), indices_(std::move(indices)) {}

  absl::StatusOr<bool> Continue(FrameWriter& writer) override;

 private:
  const std::shared_ptr<const PlacedObjects> objects_;
  const std::vector<uint32_t> indices_;
  size_t next_ = 0;
};

// The transforms of some rows or lights, likewise. Objects that are sampled at the same times are
// computed together.
class TransformStep final : public FrameStep {
 public:
  TransformStep(std::shared_ptr<const PlacedObjects> objects, std::vector<uint32_t> indices)
      : objects_(std::move(objects)), indices_(std::move(indices)) {}

  absl::StatusOr<bool> Continue(FrameWriter& writer) override;

 private:
  // The times of the samples around one frame.
  using Times = std::shared_ptr<const std::vector<double>>;
  // Objects with the same times.
  struct Group {
    Times now, base;  // `base` is null if the job has none
    std::vector<uint32_t> indices;
  };

  absl::Status TakeBatch(RequestContext& context);
  absl::StatusOr<std::vector<Times>> FindTimes(RequestContext& context, const FrameTimes& frame,
                                               std::span<const uint32_t> batch) const;
  absl::StatusOr<FrameXforms> Compute(RequestContext& context, TimeCode frame,
                                      std::span<const double> times,
                                      std::span<const uint32_t> indices) const;
  // Adds some objects of the group, whose first is `next_of_group_`.
  absl::Status AddObjects(const Group& group, FrameWriter& writer);

  const std::shared_ptr<const PlacedObjects> objects_;
  const std::vector<uint32_t> indices_;
  size_t next_ = 0;
  std::vector<Group> groups_;  // of the batch before next_
  size_t next_group_ = 0;
  size_t next_of_group_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_PLACEMENT_STEPS_H_
