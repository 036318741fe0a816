#ifndef STAGEDOOR_SCENE_VALUES_VEC_MATH_H_
#define STAGEDOOR_SCENE_VALUES_VEC_MATH_H_

#include <cmath>
#include <type_traits>

#include "scene/values/half.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Arithmetic of vectors, with the results of OpenUSD's GfVec classes: a vector of floats is scaled
// in double and rounded per component, halves are computed in float. Pure functions.

// The type in which components of type T are added and multiplied.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, Half>, float, T>;

template <typename T, int N>
constexpr Vec<T, N> operator+(const Vec<T, N>& a, const Vec<T, N>& b) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = T(Computed<T>(a.v[i]) + Computed<T>(b.v[i]));
  return r;
}
template <typename T, int N>
constexpr Vec<T, N> operator-(const Vec<T, N>& a, const Vec<T, N>& b) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = T(Computed<T>(a.v[i]) - Computed<T>(b.v[i]));
  return r;
}
template <typename T, int N>
constexpr Vec<T, N> operator-(const Vec<T, N>& a) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = T(-Computed<T>(a.v[i]));
  return r;
}
template <typename T, int N>
constexpr Vec<T, N> operator*(const Vec<T, N>& a, double s) {
  Vec<T, N> r;
  if constexpr (std::is_same_v<T, Half>) {
    for (int i = 0; i < N; ++i) r.v[i] = T(float(a.v[i]) * static_cast<float>(s));
  } else {
    for (int i = 0; i < N; ++i) r.v[i] = static_cast<T>(a.v[i] * s);
  }
  return r;
}
template <typename T, int N>
constexpr Vec<T, N> operator*(double s, const Vec<T, N>& a) {
  return a * s;
}

template <typename T, int N>
constexpr Computed<T> Dot(const Vec<T, N>& a, const Vec<T, N>& b) {
  Computed<T> sum = 0;
  for (int i = 0; i < N; ++i) sum += Computed<T>(a.v[i]) * Computed<T>(b.v[i]);
  return sum;
}
template <typename T>
constexpr Vec<T, 3> Cross(const Vec<T, 3>& a, const Vec<T, 3>& b) {
  using C = Computed<T>;
  return {T(C(a[1]) * C(b[2]) - C(a[2]) * C(b[1])), T(C(a[2]) * C(b[0]) - C(a[0]) * C(b[2])),
          T(C(a[0]) * C(b[1]) - C(a[1]) * C(b[0]))};
}
template <typename T, int N>
Computed<T> Length(const Vec<T, N>& a) {
  return std::sqrt(Dot(a, a));
}
// Divides by the length, or by `eps` if the length is smaller.
template <typename T, int N>
Vec<T, N> Normalized(const Vec<T, N>& a, double eps = 1e-10) {
  const double length = Length(a);
  return a * (1 / (length > eps ? length : eps));
}

// Converts each component; for example VecCast<double> converts a Vec3f to a Vec3d.
template <typename To, typename From, int N>
constexpr Vec<To, N> VecCast(const Vec<From, N>& a) {
  Vec<To, N> r;
  for (int i = 0; i < N; ++i) {
    if constexpr (std::is_same_v<To, Half>) {
      r.v[i] = To(static_cast<float>(a.v[i]));
    } else {
      r.v[i] = static_cast<To>(Computed<From>(a.v[i]));
    }
  }
  return r;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_VEC_MATH_H_
