#ifndef STAGEDOOR_SERVER_FRAMES_SAMPLED_VALUES_H_
#define STAGEDOOR_SERVER_FRAMES_SAMPLED_VALUES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "scene/frame/frame_changes.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_values.h"
#include "scene/paths/token.h"
#include "scene/skel/pose_cache.h"
#include "server/frames/sent_values.h"
#include "server/queries/skin_jobs.h"

namespace stagedoor::server {

// An attribute of a geometry or light with its samples in a frame.
struct SampledValue {
  Token name;
  FrameLayout layout;
  std::vector<double> times;  // one for each sample
  std::vector<FrameSample> samples;
  absl::Status error;  // why there are no samples
  // The key of the values once they were sent. For the thread that writes messages.
  mutable std::optional<SentValues::Key> sent_as;

  // Whether there is a value at some time.
  bool HasValue() const;
  // The bytes of arrays that were computed.
  size_t computed_bytes() const;
};

// Whether the samples of one attribute in two frames are sent as the same bytes.
bool AreSameSamples(RequestContext& context, const SampledValue& a, const SampledValue& b);

// Computes the samples of attributes. For one thread.
class ValueSampler {
 public:
  // `executor` may be null.
  ValueSampler(RequestContext& context, const FrameTimes& times, Executor* executor)
      : context_(context), times_(times), skinned_(context, executor) {}

  // `geometry` is that of the attribute; an empty one for a light. Errors: those of the context;
  // others are in the result.
  absl::StatusOr<SampledValue> Sample(const FrameGeometry& geometry,
                                      const FrameAttribute& attribute);

 private:
  absl::StatusOr<std::vector<TimeCode>> FindTimes(const FrameGeometry& geometry,
                                                  const FrameAttribute& attribute);
  PoseCache& PosesAt(TimeCode time);

  RequestContext& context_;
  const FrameTimes& times_;
  SkinnedArrays skinned_;
  std::map<TimeKey, PoseCache> poses_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_SAMPLED_VALUES_H_
