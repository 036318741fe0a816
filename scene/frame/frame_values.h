#ifndef STAGEDOOR_SCENE_FRAME_FRAME_VALUES_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_VALUES_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/geom/motion_times.h"
#include "scene/skel/pose_cache.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/array.h"
#include "scene/values/value.h"

namespace stagedoor {

// The values of the attributes of geometry. Those of lights are read from FrameAttribute::query.

// How the elements of an attribute are laid out, which is the same at all times.
struct FrameLayout {
  Token type_name;       // of the attribute, such as "point3f[]"
  Token interpolation;   // of primvars, points, normals, widths and so on; else empty
  int element_size = 0;  // of primvars: the number of values for an element; else 0
};
FrameLayout FrameLayoutOf(RequestContext& context, const FrameAttribute& attribute);

// An attribute at one time.
struct FrameSample {
  Value value;  // empty if there is none
  // The indices of an indexed primvar that is not flattened; none of them if they have no value at
  // the time.
  std::optional<Array<int>> indices;
  Reservation reserved;  // for arrays that were computed
};

// The deformations of a skinned prim at some times, which its attributes share. Keeps those of the
// geometry that was asked for last. Not thread-safe.
class SkinnedArrays {
 public:
  // `executor` may be null, in which case everything runs on the calling thread.
  explicit SkinnedArrays(RequestContext& context, Executor* executor = nullptr)
      : context_(context), executor_(executor), reserved_(context) {}

  // The deformation at the time of `poses`. What cannot be applied is a warning of the request. The
  // pointer is valid until the next call.
  absl::StatusOr<const SkinResult*> At(const SkinningTarget& skin, PoseCache& poses);

 private:
  RequestContext& context_;
  Executor* const executor_;
  Reservation reserved_;
  const SkinningTarget* skin_ = nullptr;
  std::vector<std::pair<TimeCode, SkinResult>> results_;
};

// Adds the samples of an attribute in a shutter around `frame`. `geometry` is that of the
// attribute. Errors: those of the context.
absl::Status AddFrameMotion(RequestContext& context, const FrameGeometry& geometry,
                            const FrameAttribute& attribute, double frame, MotionTimes* times);

// The value at the time of `poses`, as a part of the frame at `frame`. Errors: FAILED_PRECONDITION
// if only one of the times is the default time; those of the context.
absl::StatusOr<FrameSample> FrameValueAt(RequestContext& context, const FrameGeometry& geometry,
                                         const FrameAttribute& attribute, TimeCode frame,
                                         PoseCache& poses, SkinnedArrays& skinned);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_VALUES_H_
