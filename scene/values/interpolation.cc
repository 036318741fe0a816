#include "scene/values/interpolation.h"

#include <type_traits>
#include <utility>

#include "scene/paths/token.h"
#include "scene/values/array.h"
#include "scene/values/half.h"
#include "scene/values/lerp.h"
#include "scene/values/lerp_kernels.h"
#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

template <typename T>
struct Kind {
  static constexpr bool kLinear = std::is_floating_point_v<T> || std::is_same_v<T, Half> ||
                                  std::is_same_v<T, TimeCodeValue> || std::is_same_v<T, Duration>;
};
template <typename T, int N>
struct Kind<Vec<T, N>> {
  static constexpr bool kLinear = !std::is_integral_v<T>;
};
template <typename T>
struct Kind<Quat<T>> {
  static constexpr bool kLinear = true;
};
template <int N>
struct Kind<Matrix<N>> {
  static constexpr bool kLinear = true;
};

template <typename T>
void LerpMany(const T* a, const T* b, double alpha, size_t n, T* out) {
  for (size_t i = 0; i < n; ++i) out[i] = Lerp(a[i], b[i], alpha);
}
void LerpMany(const float* a, const float* b, double alpha, size_t n, float* out) {
  LerpFloats({a, n}, {b, n}, alpha, LerpRounding::kOnce, {out, n});
}
template <int N>
void LerpMany(const Vec<float, N>* a, const Vec<float, N>* b, double alpha, size_t n,
              Vec<float, N>* out) {
  if (n == 0) return;
  LerpFloats({a->v, n * N}, {b->v, n * N}, alpha, LerpRounding::kEachFactor, {out->v, n * N});
}
template <int N>
void LerpMany(const Vec<Half, N>* a, const Vec<Half, N>* b, double alpha, size_t n,
              Vec<Half, N>* out) {
  if (n == 0) return;
  LerpHalves({a->v, n * N}, {b->v, n * N}, alpha, {out->v, n * N});
}
void LerpMany(const double* a, const double* b, double alpha, size_t n, double* out) {
  LerpDoubles({a, n}, {b, n}, alpha, {out, n});
}
template <int N>
void LerpMany(const Vec<double, N>* a, const Vec<double, N>* b, double alpha, size_t n,
              Vec<double, N>* out) {
  if (n == 0) return;
  LerpDoubles({a->v, n * N}, {b->v, n * N}, alpha, {out->v, n * N});
}
template <int N>
void LerpMany(const Matrix<N>* a, const Matrix<N>* b, double alpha, size_t n, Matrix<N>* out) {
  if (n == 0) return;
  const size_t count = n * N * N;
  LerpDoubles({a->m[0], count}, {b->m[0], count}, alpha, {out->m[0], count});
}

// If the type interpolates, calls fn with a null pointer to its C++ type and returns true.
template <typename Fn>
bool WithLinearType(ValueType type, Fn&& fn) {
  switch (type) {
#define X(name, cpp, text)              \
  case ValueType::name:                 \
    if constexpr (Kind<cpp>::kLinear) { \
      fn(static_cast<cpp*>(nullptr));   \
      return true;                      \
    }                                   \
    return false;
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return false;
  }
}

// Whether the result at alpha 1 is the upper value itself. A single quaternion takes the shorter
// arc, so the result may be the negative of the upper one.
bool EndsAtUpper(const Value& value, double alpha) {
  const ValueType type = value.type();
  return alpha == 1 &&
         (value.is_array() ||
          (type != ValueType::kQuath && type != ValueType::kQuatf && type != ValueType::kQuatd));
}

template <typename T>
Value InterpolateTyped(const Value& lower, const Value& upper, double alpha) {
  if (!lower.is_array()) return Value(Lerp(*lower.Get<T>(), *upper.Get<T>(), alpha));
  const auto& a = *lower.Get<Array<T>>();
  T* out;
  auto result = Array<T>::Uninitialized(a.size(), &out);
  LerpMany(a.data(), upper.Get<Array<T>>()->data(), alpha, a.size(), out);
  return Value(std::move(result));
}

}  // namespace

bool InterpolatesLinearly(ValueType type) {
  return WithLinearType(type, [](auto*) {});
}

bool CanInterpolate(const Value& lower, const Value& upper) {
  if (lower.type() != upper.type() || lower.is_array() != upper.is_array()) return false;
  if (lower.is_array() && lower.array()->size() != upper.array()->size()) return false;
  return InterpolatesLinearly(lower.type());
}

Value Interpolate(const Value& lower, const Value& upper, double alpha) {
  if (alpha == 0 || !CanInterpolate(lower, upper)) return lower;
  if (EndsAtUpper(lower, alpha)) return upper;
  Value result;
  WithLinearType(lower.type(),
                 [&]<typename T>(T*) { result = InterpolateTyped<T>(lower, upper, alpha); });
  return result;
}

Value InterpolateSamples(const TimeSamples& samples, size_t i, double alpha) {
  Value lower = samples.At(i);
  if (lower.is_block() || !InterpolatesLinearly(lower.type())) return lower;
  return Interpolate(lower, samples.At(i + 1), alpha);
}

}  // namespace stagedoor
