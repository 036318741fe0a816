#include "scene/frame/frame_place_xforms.h"

#include <cstddef>
#include <unordered_map>
#include <utility>

#include "base/status_macros.h"
#include "scene/frame/frame_transforms.h"
#include "scene/geom/xform_motion.h"

namespace stagedoor {

absl::StatusOr<PlaceXforms> SampleXforms(RequestContext& context, const FramePlan& plan,
                                         std::span<const FramePlace* const> places,
                                         const FrameSampler& sampler, Executor* executor) {
  PlaceXforms result{.places = std::vector<SampledXform>(places.size()),
                     .reserved = Reservation(context)};
  // Those that move at the same times are computed together; null is for those that do not move.
  std::unordered_map<const MotionTimes*, std::vector<size_t>> groups;
  XformMotion motion;
  if (const auto& policy = sampler.times().policy) {
    const double frame = sampler.frame().value();
    SD_ASSIGN_OR_RETURN(motion, FindFrameXformMotion(context, plan, places, policy->Begin(frame),
                                                     policy->End(frame)));
  }
  for (size_t i = 0; i < places.size(); ++i) {
    groups[motion.times.empty() ? nullptr : motion.times[i].get()].push_back(i);
  }
  // In any order.
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order)
  for (const auto& [times, members] : groups) {
    const std::vector<TimeCode> codes = sampler.Selected(times);
    std::vector<const FramePlace*> some;
    for (const size_t i : members) some.push_back(places[i]);
    SD_RETURN_IF_ERROR(result.reserved.Grow(some.size() * codes.size() * sizeof(Matrix4d),
                                            "transforms of a frame"));
    SD_ASSIGN_OR_RETURN(const FrameXforms xforms,
                        ComputeFrameXforms(context, plan, some, codes, executor));
    for (size_t r = 0; r < members.size(); ++r) {
      const auto first = xforms.matrices.begin() + static_cast<ptrdiff_t>(r * codes.size());
      result.places[members[r]] = {
          .times = codes, .matrices = {first, first + static_cast<ptrdiff_t>(codes.size())}};
    }
  }
  return result;
}

}  // namespace stagedoor
