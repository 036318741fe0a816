// Interpolation between time samples, and retiming of values that are times.
//
// Half, float, double, timecode, duration, their vectors, quaternions and matrices, and arrays of
// these with equal lengths interpolate linearly (quaternions spherically); all else is held.
// Results equal OpenUSD's bit for bit for floats and doubles. Pure functions.
#ifndef STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_
#define STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_

#include <cstddef>
#include <span>

#include "scene/values/scalar_types.h"
#include "scene/values/value.h"

namespace stagedoor {

// Whether values of this element type, single or in arrays, interpolate linearly.
bool InterpolatesLinearly(ValueType type);

// Whether these two interpolate: same such type, both arrays of one length or neither an array.
bool CanInterpolate(const Value& lower, const Value& upper);

// The value at `alpha` in [0, 1] of the way from `lower` to `upper`; `lower` itself where the two
// do not interpolate (held), and without copying at alpha 0 and 1.
Value Interpolate(const Value& lower, const Value& upper, double alpha);

// As Interpolate, for arrays, into the caller's memory: `out` has the size of the array in bytes
// and is aligned for its elements. False, and nothing written, where the two do not interpolate or
// sizes disagree.
bool InterpolateInto(const Value& lower, const Value& upper, double alpha,
                     std::span<std::byte> out);

// Size of an element of such a type in bytes; 0 for strings and other types without plain layout.
size_t PlainElementSize(ValueType type);

// How products are rounded before they are added.
enum class LerpRounding {
  kOnce,        // (1 - alpha) * a + alpha * b in double, rounded at the end: single numbers
  kEachFactor,  // each product rounded to float first: components of vectors
};
// The kernels: a, b and out have the same size; out may be a or b.
void LerpFloats(std::span<const float> a, std::span<const float> b, double alpha,
                LerpRounding rounding, std::span<float> out);
void LerpDoubles(std::span<const double> a, std::span<const double> b, double alpha,
                 std::span<double> out);

// Maps every timecode, and scales every duration, in `value` (single, array, in dictionaries at any
// depth, in samples' values when it is a spline of times or samples, array edits) by `offset`;
// times of samples and splines too.
Value Retime(const Value& value, const LayerOffset& offset);
// Whether Retime would change anything of this kind, to skip the walk.
bool HoldsTimes(const Value& value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_
