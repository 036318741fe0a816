#ifndef STAGEDOOR_SCENE_VALUES_TIME_SAMPLES_H_
#define STAGEDOOR_SCENE_VALUES_TIME_SAMPLES_H_

#include <cstddef>
#include <span>
#include <utility>

#include "scene/values/array.h"
#include "scene/values/ref_counted.h"
#include "scene/values/value.h"

namespace stagedoor {

// Values at ascending times, as a layer holds them for an attribute. Corresponds to OpenUSD's
// SdfTimeSampleMap; see the Core Specification, section 7.6.4.2.2 (timeSamples).
//
// An interface, because the file format determines how values are stored: text layers hold them in
// memory, crate layers decode them from the mapped file on demand. Immutable and thread-safe.
class TimeSamples : public RefCounted {
 public:
  // The times in the layer's time codes: strictly ascending, never NaN, but possibly infinite.
  std::span<const double> times() const { return times_.span(); }
  const Array<double>& times_array() const { return times_; }
  size_t size() const { return times_.size(); }

  // The i-th value: a ValueBlock if the sample is blocked, Invalid if the data is damaged.
  virtual Value At(size_t i) const = 0;
  // Whether At(i) is a ValueBlock; implementations avoid decoding the value.
  virtual bool BlockedAt(size_t i) const { return At(i).is_block(); }
  // The value at the fraction `alpha` of the way from the i-th sample to the next, as
  // InterpolateSamples computes it.
  virtual Value Between(size_t i, double alpha) const = 0;

  // Prefetches what At(i) and Between(i, …) read first into the processor's cache, if that costs
  // next to nothing.
  virtual void Prefetch(size_t /*i*/) const {}

  // Whether values may be array edits, which are composed over weaker values. May be true even if
  // there are none.
  virtual bool MayHoldEdits() const = 0;

  // Whether the values are in memory, rather than decoded from a file by each At(i).
  virtual bool InMemory() const { return false; }

  // The index of the last sample at or before `time`, or -1 if there is none.
  std::ptrdiff_t LastAtOrBefore(double time) const;

 protected:
  explicit TimeSamples(Array<double> times) : times_(std::move(times)) {}

 private:
  Array<double> times_;
};

// Whether times and values are equal; decodes all values.
bool operator==(const TimeSamples& a, const TimeSamples& b);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_TIME_SAMPLES_H_
