#ifndef STAGEDOOR_SCENE_FRAME_FRAME_TRANSFORMS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_TRANSFORMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/xform_motion.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/matrix.h"

namespace stagedoor {

// Where the prims of a frame are, and whether they are visible.
//
// The transform of a prim leads to world space, that of a part of a prototype of point instancers
// to the space of the prototype's root, whose own transform is that of its instances. A prim whose
// skin moves it as a whole has the transform of its skin.

// When the transforms of some rows or lights vary within a shutter; null for those that do not.
// Errors: those of the context.
absl::StatusOr<XformMotion> FindFrameXformMotion(RequestContext& context, const FramePlan& plan,
                                                 std::span<const FramePlace* const> places,
                                                 double begin, double end);

struct FrameXforms {
  // With T times, item p * T + t is that of places[p] at time t.
  std::vector<Matrix4d> matrices;
  Reservation reserved;  // for the matrices
};
// `executor` may be null. Errors: those of the context.
absl::StatusOr<FrameXforms> ComputeFrameXforms(RequestContext& context, const FramePlan& plan,
                                               std::span<const FramePlace* const> places,
                                               std::span<const TimeCode> times,
                                               Executor* executor = nullptr);

// Whether a row or a light is visible: neither its prim nor an ancestor is invisible; of a part of
// a prototype, no ancestor up to the prototype's root.
bool IsVisibleAt(RequestContext& context, const FramePlan& plan, const FramePlace& place,
                 TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_TRANSFORMS_H_
