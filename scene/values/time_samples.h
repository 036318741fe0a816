// TimeSamples: values at ascending times, as one layer holds them for an attribute.
//
// Where the values come from is the file format's business: text layers hold them, crate layers
// decode them from the mapping on demand. Immutable and thread-safe.
#ifndef STAGEDOOR_SCENE_VALUES_TIME_SAMPLES_H_
#define STAGEDOOR_SCENE_VALUES_TIME_SAMPLES_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "scene/values/array.h"
#include "scene/values/ref_counted.h"
#include "scene/values/value.h"

namespace stagedoor {

class TimeSamples : public RefCounted {
 public:
  // Strictly ascending, finite or infinite, never nan. In layer time.
  std::span<const double> times() const { return times_.span(); }
  const Array<double>& times_array() const { return times_; }
  size_t size() const { return times_.size(); }

  // The i-th value: a ValueBlock for a blocked sample, Invalid for damaged data.
  virtual Value At(size_t i) const = 0;
  // True when At(i) is a ValueBlock; cheaper than asking At.
  virtual bool BlockedAt(size_t i) const { return At(i).is_block(); }
  // The value at `alpha` of the way from the i-th sample to the next, as Interpolate; the i-th
  // where the two do not interpolate.
  virtual Value Between(size_t i, double alpha) const;

  // Whether some values may be array edits, which are composed over weaker values. May err on the
  // yes side.
  virtual bool MayHoldEdits() const = 0;

  // Index of the last sample at or before `time`, -1 if there is none.
  std::ptrdiff_t LastAtOrBefore(double time) const;

 protected:
  explicit TimeSamples(Array<double> times) : times_(std::move(times)) {}

 private:
  Array<double> times_;
};

// Samples held in memory. `samples` may come in any order; of equal times the last one counts.
RefPtr<const TimeSamples> MakeTimeSamples(std::vector<std::pair<double, Value>> samples);

// Same times and equal values.
bool operator==(const TimeSamples& a, const TimeSamples& b);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_TIME_SAMPLES_H_
