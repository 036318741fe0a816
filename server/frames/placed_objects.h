#ifndef STAGEDOOR_SERVER_FRAMES_PLACED_OBJECTS_H_
#define STAGEDOOR_SERVER_FRAMES_PLACED_OBJECTS_H_

#include <cstdint>
#include <span>
#include <vector>

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

  FrameId IdOf(uint32_t index) const { return PlaceOf(index).id; }
  bool IsVisible(RequestContext& context, uint32_t index, TimeCode time) const {
    return job_.IsVisible(context, PlaceOf(index), time);
  }
  // As FindFrameXformMotion.
  absl::StatusOr<XformMotion> FindMotion(RequestContext& context, std::span<const uint32_t> indices,
                                         double begin, double end) const;
  // As ComputeFrameXforms.
  absl::StatusOr<FrameXforms> Compute(RequestContext& context, std::span<const uint32_t> indices,
                                      std::span<const TimeCode> times) const;

 private:
  virtual const FramePlace& PlaceOf(uint32_t index) const = 0;
  virtual std::vector<const FramePlace*> PlacesAt(std::span<const uint32_t> indices) const = 0;

  const FrameJob& job_;
};

class PlacedRows final : public PlacedObjects {
 public:
  using PlacedObjects::PlacedObjects;

 private:
  const FramePlace& PlaceOf(uint32_t index) const override { return job().plan->prims[index]; }
  std::vector<const FramePlace*> PlacesAt(std::span<const uint32_t> indices) const override {
    return PlacesOf(job().plan->prims, indices);
  }
};

class PlacedLights final : public PlacedObjects {
 public:
  using PlacedObjects::PlacedObjects;

 private:
  const FramePlace& PlaceOf(uint32_t index) const override { return job().plan->lights[index]; }
  std::vector<const FramePlace*> PlacesAt(std::span<const uint32_t> indices) const override {
    return PlacesOf(job().plan->lights, indices);
  }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_PLACED_OBJECTS_H_
