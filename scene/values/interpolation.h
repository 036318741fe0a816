// Interpolation between time samples (Core Specification, section 12.5 Interpolation), and retiming
// of values that are times (section 12.3.2.1 Layer Offset and Scale). Correspond to OpenUSD's
// Usd_LinearInterpolator and Usd_ApplyLayerOffsetToValue.
//
// Half, float, double, timecode, duration, vectors of floating-point numbers, matrices, and arrays
// of these with equal lengths interpolate linearly, quaternions spherically; all other values are
// held. For floats and doubles the results equal OpenUSD's bit for bit. Pure functions.
#ifndef STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_
#define STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_

#include <cstddef>
#include <span>

#include "scene/values/scalar_types.h"
#include "scene/values/value.h"

namespace stagedoor {

// Whether values of this element type, and arrays of it, interpolate linearly (section 12.5.2).
bool InterpolatesLinearly(ValueType type);

// Whether two values interpolate: both must have the same interpolating type, and both must be
// arrays of the same length or neither an array.
bool CanInterpolate(const Value& lower, const Value& upper);

// The value at the fraction `alpha` in [0, 1] of the way from `lower` to `upper`. Returns `lower`
// (held) if the two do not interpolate. Arrays are not copied if alpha is 0 or 1.
Value Interpolate(const Value& lower, const Value& upper, double alpha);

// Like Interpolate, for arrays, but writes to `out`, which must have the size of the array in bytes
// and be aligned for its elements. Returns false and writes nothing if the two do not interpolate
// or the size of `out` is wrong.
bool InterpolateInto(const Value& lower, const Value& upper, double alpha,
                     std::span<std::byte> out);

// The size of an element of this type in bytes; 0 for types that are not plain data, such as
// strings.
size_t PlainElementSize(ValueType type);

// How the products (1 - alpha) * a and alpha * b are rounded before they are added.
enum class LerpRounding {
  kOnce,        // computed in double and rounded at the end, as OpenUSD does for scalars
  kEachFactor,  // each product rounded to float first, as OpenUSD does for vectors
};
// The bulk kernels. a, b and out must have the same size; out may be a or b.
void LerpFloats(std::span<const float> a, std::span<const float> b, double alpha,
                LerpRounding rounding, std::span<float> out);
void LerpDoubles(std::span<const double> a, std::span<const double> b, double alpha,
                 std::span<double> out);

// Maps all times in `value` by `offset`: timecodes are mapped and durations scaled, also in arrays,
// array edits and dictionaries at any depth, and in the values of time samples and splines; so are
// the times of samples and knots. Other values are returned unchanged.
Value Retime(const Value& value, const LayerOffset& offset);
// False if Retime cannot change a value of this kind, so that callers can skip it.
bool HoldsTimes(const Value& value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_INTERPOLATION_H_
