#ifndef STAGEDOOR_SCENE_VALUES_LERP_H_
#define STAGEDOOR_SCENE_VALUES_LERP_H_

#include "scene/values/half.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/quat.h"
#include "scene/values/quat_math.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Linear interpolation of single values, bit for bit like OpenUSD's GfLerp and GfSlerp: scalars are
// computed in double and rounded once at the end, components of vectors after each product.

inline double Lerp(double a, double b, double alpha) { return (1 - alpha) * a + alpha * b; }
inline float Lerp(float a, float b, double alpha) {
  return static_cast<float>((1 - alpha) * a + alpha * b);
}
template <typename T, int N>
Vec<T, N> Lerp(const Vec<T, N>& a, const Vec<T, N>& b, double alpha) {
  return (1 - alpha) * a + alpha * b;
}

inline Half Lerp(Half a, Half b, double alpha) {
  return Half(static_cast<float>((1 - alpha) * float(a) + alpha * float(b)));
}
inline TimeCodeValue Lerp(TimeCodeValue a, TimeCodeValue b, double alpha) {
  return {Lerp(a.value, b.value, alpha)};
}
inline Duration Lerp(Duration a, Duration b, double alpha) {
  return {Lerp(a.value, b.value, alpha)};
}
template <typename T>
Quat<T> Lerp(const Quat<T>& a, const Quat<T>& b, double alpha) {
  return Slerp(alpha, a, b);
}
template <int N>
Matrix<N> Lerp(const Matrix<N>& a, const Matrix<N>& b, double alpha) {
  Matrix<N> r;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) r.m[i][j] = Lerp(a.m[i][j], b.m[i][j], alpha);
  }
  return r;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_LERP_H_
