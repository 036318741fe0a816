#ifndef STAGEDOOR_SCENE_VALUES_QUAT_MATH_H_
#define STAGEDOOR_SCENE_VALUES_QUAT_MATH_H_

#include "scene/values/quat.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {

// Arithmetic of quaternions, with the results of OpenUSD's GfQuat classes. Pure functions.

template <typename T>
constexpr Quat<T> MakeQuat(T real, T i, T j, T k) {
  return Quat<T>{Vec<T, 3>{i, j, k}, real};
}
template <typename T>
constexpr Quat<T> IdentityQuat() {
  return MakeQuat(T(1.0f), T(0.0f), T(0.0f), T(0.0f));
}
template <typename To, typename From>
constexpr Quat<To> QuatCast(const Quat<From>& q) {
  const Vec<To, 1> real = VecCast<To>(Vec<From, 1>{q.real});
  return Quat<To>{VecCast<To>(q.imaginary), real[0]};
}
// The rotation by `b` followed by `a`.
template <typename T>
constexpr Quat<T> operator*(const Quat<T>& a, const Quat<T>& b) {
  const T real = T(Computed<T>(a.real) * Computed<T>(b.real) - Dot(a.imaginary, b.imaginary));
  return {
      b.imaginary * double(a.real) + a.imaginary * double(b.real) + Cross(a.imaginary, b.imaginary),
      real};
}
// The normalized quaternion; the identity if `q` is shorter than `eps`.
Quatd Normalized(const Quatd& q, double eps = 1e-10);

// Spherical interpolation along the shorter arc, or linear if the quaternions are nearly equal.
// Corresponds to GfSlerp.
Quath Slerp(double alpha, const Quath& a, const Quath& b);
Quatf Slerp(double alpha, const Quatf& a, const Quatf& b);
Quatd Slerp(double alpha, const Quatd& a, const Quatd& b);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_QUAT_MATH_H_
