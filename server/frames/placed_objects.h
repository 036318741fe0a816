#ifndef STAGEDOOR_SERVER_FRAMES_PLACED_OBJECTS_H_
#define STAGEDOOR_SERVER_FRAMES_PLACED_OBJECTS_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_transforms.h"
#include "scene/geom/xform_motion.h"
#include "scene/value_resolution/time_code.h"
#include "server/frames/frame_job.h"

namespace stagedoor::server {

// Objects with a transform and a visibility: the rows or the lights of a plan, by their indices.
// The job must outlive it. Thread-safe.
class PlacedObjects {
 public:
  explicit PlacedObjects(const FrameJob& job) : job_(job) {}
  virtual ~PlacedObjects() = default;

  const FrameJob& job() const { return job_; }

  virtual FrameId IdOf(uint32_t index) const = 0;
  virtual bool IsVisible(RequestContext& context, uint32_t index, TimeCode time) const = 0;
  // As FindFrameXformMotion.
  virtual absl::StatusOr<XformMotion> FindMotion(RequestContext& context,
                                                 std::span<const uint32_t> indices, double begin,
                                                 double end) const = 0;
  // As ComputeFrameXforms.
  virtual absl::StatusOr<FrameXforms> Compute(RequestContext& context,
                                              std::span<const uint32_t> indices,
                                              std::span<const TimeCode> times) const = 0;

 private:
  const FrameJob& job_;
};

class PlacedRows final : public PlacedObjects {
 public:
  using PlacedObjects::PlacedObjects;

  FrameId IdOf(uint32_t index) const override;
  bool IsVisible(RequestContext& context, uint32_t index, TimeCode time) const override;
  absl::StatusOr<XformMotion> FindMotion(RequestContext& context, std::span<const uint32_t> indices,
                                         double begin, double end) const override;
  absl::StatusOr<FrameXforms> Compute(RequestContext& context, std::span<const uint32_t> indices,
                                      std::span<const TimeCode> times) const override;
};

class PlacedLights final : public PlacedObjects {
 public:
  using PlacedObjects::PlacedObjects;

  FrameId IdOf(uint32_t index) const override;
  bool IsVisible(RequestContext& context, uint32_t index, TimeCode time) const override;
  absl::StatusOr<XformMotion> FindMotion(RequestContext& context, std::span<const uint32_t> indices,
                                         double begin, double end) const override;
  absl::StatusOr<FrameXforms> Compute(RequestContext& context, std::span<const uint32_t> indices,
                                      std::span<const TimeCode> times) const override;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_PLACED_OBJECTS_H_
