#ifndef STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_
#define STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_

#include <cstddef>
#include <span>

#include "scene/values/time_samples.h"
#include "scene/values/value.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// Interpolation between time samples (Core Specification, section 12.5 Interpolation). Corresponds
// to OpenUSD's Usd_LinearInterpolator.
//
// Half, float, double, timecode, duration, vectors of floating-point numbers, matrices, and arrays
// of these with equal lengths interpolate linearly, quaternions spherically; all other values are
// held. For floats and doubles the results equal OpenUSD's bit for bit. Pure functions.

// Whether values of this element type, and arrays of it, interpolate linearly (section 12.5.2).
bool InterpolatesLinearly(ValueType type);

// Whether two values interpolate: both must have the same interpolating type, and both must be
// arrays of the same length or neither an array.
bool CanInterpolate(const Value& lower, const Value& upper);

// The value at the fraction `alpha` in [0, 1] of the way from `lower` to `upper`. Returns `lower`
// (held) if the two do not interpolate. Arrays are not copied if alpha is 0 or 1.
Value Interpolate(const Value& lower, const Value& upper, double alpha);

// The value at the fraction `alpha` of the way from the i-th sample to the next; the i-th value if
// the two do not interpolate.
Value InterpolateSamples(const TimeSamples& samples, size_t i, double alpha);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_
