#ifndef STAGEDOOR_SCENE_FRAME_FRAME_SAMPLER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_SAMPLER_H_

#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "base/status_macros.h"
#include "scene/frame/frame_changes.h"
#include "scene/frame/frame_values.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/xform_cache.h"
#include "scene/skel/pose_cache.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The times at which the parts of one frame are sampled, and what its parts share at a time: poses,
// transforms, deformations. Not thread-safe; valid as long as the stage snapshot.
class FrameSampler {
 public:
  // `executor` may be null, in which case everything runs on the calling thread.
  FrameSampler(RequestContext& context, const FrameTimes& times, Executor* executor)
      : times_(times), skinned_(context, executor) {}

  const FrameTimes& times() const { return times_; }
  TimeCode frame() const { return times_.frame; }

  // The samples of a part whose sample times `add` finds: an absl::Status(MotionTimes*). There is
  // at least one; a part that does not vary within the shutter has one. Errors: those of `add`.
  template <typename Add>
  absl::StatusOr<std::vector<TimeCode>> SamplesOf(const Add& add) const {
    if (!times_.policy) return std::vector<TimeCode>{times_.frame};
    const double frame = times_.frame.value();
    MotionTimes times(times_.policy->Begin(frame), times_.policy->End(frame));
    SD_RETURN_IF_ERROR(add(&times));
    return Selected(&times);
  }
  // The samples of a list for the shutter; null for a part that does not vary.
  std::vector<TimeCode> Selected(const MotionTimes* times) const;

  // The reference is valid until the next call.
  PoseCache& PosesAt(TimeCode time);
  XformCache& XformsAt(TimeCode time) { return PosesAt(time).xforms(); }
  SkinnedArrays& skinned() { return skinned_; }

 private:
  // Prims mostly have samples at the same few times.
  static constexpr size_t kMostTimes = 64;

  const FrameTimes times_;
  std::map<double, PoseCache> poses_;
  PoseCache default_poses_{TimeCode::Default()};
  SkinnedArrays skinned_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_SAMPLER_H_
