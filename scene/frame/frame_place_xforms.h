#ifndef STAGEDOOR_SCENE_FRAME_FRAME_PLACE_XFORMS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_PLACE_XFORMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_sampler.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/matrix.h"

namespace stagedoor {

// The transform of a prim in a frame: a matrix for each of its samples.
struct SampledXform {
  std::vector<TimeCode> times;
  std::vector<Matrix4d> matrices;
};

struct PlaceXforms {
  std::vector<SampledXform> places;
  Reservation reserved;  // for the matrices
};

// The transforms of some rows or lights of a plan at the samples of a frame. `executor` may be
// null. Errors: those of the context.
absl::StatusOr<PlaceXforms> SampleXforms(RequestContext& context, const FramePlan& plan,
                                         std::span<const FramePlace* const> places,
                                         const FrameSampler& sampler, Executor* executor);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_PLACE_XFORMS_H_
