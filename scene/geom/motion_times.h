#ifndef STAGEDOOR_SCENE_GEOM_MOTION_TIMES_H_
#define STAGEDOOR_SCENE_GEOM_MOTION_TIMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/geom/sample_policy.h"
#include "scene/geom/source_sink.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/attribute_source.h"

namespace stagedoor {

// A time at which a result is to be computed.
struct MotionTime {
  double time = 0;
  // The attribute that has a sample at this time; an invalid prim if the time is one of the
  // shutter. If several attributes have one, the first that was added.
  Prim prim;
  Token attribute;

  // The path of the attribute; empty if there is none.
  std::string SourcePath() const;
};

// The times at which a result is to be computed for one shutter.
struct MotionSelection {
  std::vector<MotionTime> times;  // ascending; at least one
  bool thinned = false;           // whether authored samples were left out
};

// The sample times of all that a computed result depends on, joined for one shutter interval.
//
// Outside of the interval, only the closest time on either side is kept: together with those
// inside, it determines the result within the shutter. Not thread-safe.
class MotionTimes final : public SourceSink {
 public:
  // For the shutter [begin, end].
  MotionTimes(double begin, double end) : begin_(begin), end_(end) {}

  // Adds the samples of an attribute, unless its value is the same throughout the shutter. Where a
  // spline jumps, there is one sample. Errors: those of the context.
  absl::Status Add(RequestContext& context, const AttributeSource& source, const Prim& prim,
                   Token name) override;
  using SourceSink::Add;
  // Adds the times of `other`, which is for the same shutter.
  void Join(const MotionTimes& other);
  // Adds `count` times that are evenly spaced over the shutter, with its ends, because of an
  // attribute such as velocities. At least 2.
  void AddEven(size_t count, const Prim& prim, Token name);

  double begin() const { return begin_; }
  double end() const { return end_; }

  // Whether nothing varies within the shutter.
  bool empty() const { return !crowded_ && times_.empty(); }
  // Whether the result may vary within the shutter. Not with a single time, which may still be the
  // closest to the shutter once lists are joined.
  bool varies() const { return crowded_ || times_.size() > 1; }
  const std::vector<MotionTime>& times() const { return times_; }
  size_t byte_size() const { return sizeof(*this) + times_.capacity() * sizeof(MotionTime); }

  // The times of `policy`, whose shutter around `frame` is that of this list: a single one if the
  // result does not vary.
  MotionSelection Select(const SamplePolicy& policy, double frame) const;

 private:
  void Merge(const std::vector<MotionTime>& some);
  std::vector<MotionTime> AtEnds() const;

  double begin_;
  double end_;
  std::vector<MotionTime> times_;  // ascending, each time once
  bool crowded_ = false;           // there are more than SamplePolicy::kMostSamples; no times then
};

// The times for a result that does not vary.
MotionSelection SteadySelection(const SamplePolicy& policy, double frame);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_MOTION_TIMES_H_
