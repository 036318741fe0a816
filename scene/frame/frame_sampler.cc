#include "scene/frame/frame_sampler.h"

namespace stagedoor {

std::vector<TimeCode> FrameSampler::Selected(const MotionTimes* times) const {
  if (!times_.policy) return {times_.frame};
  const double frame = times_.frame.value();
  const MotionSelection selection =
      times ? times->Select(*times_.policy, frame) : SteadySelection(*times_.policy, frame);
  std::vector<TimeCode> codes;
  codes.reserve(selection.times.size());
  for (const MotionTime& at : selection.times) codes.push_back(TimeCode::At(at.time));
  return codes;
}

PoseCache& FrameSampler::PosesAt(TimeCode time) {
  if (time.is_default()) return default_poses_;
  const auto found = poses_.find(time.value());
  if (found != poses_.end()) return found->second;
  if (poses_.size() == kMostTimes) poses_.clear();
  return poses_.try_emplace(time.value(), time).first->second;
}

}  // namespace stagedoor
