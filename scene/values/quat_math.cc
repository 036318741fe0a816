#include "scene/values/quat_math.h"

#include <cmath>

namespace stagedoor {
namespace {

template <typename T>
Quat<T> SlerpAny(double alpha, const Quat<T>& a, const Quat<T>& b) {
  // As in OpenUSD, the angle and the weights are rounded to the precision of T.
  using C = Computed<T>;
  C cosine = C(T(Dot(a.imaginary, b.imaginary))) + C(a.real) * C(b.real);
  const bool flip = cosine < 0;
  if (flip) cosine = -cosine;
  double weight_a = 1 - alpha;
  double weight_b = alpha;
  if (1 - cosine > 0.00001) {
    const C theta = C(T(std::acos(cosine)));
    const C sine = C(T(std::sin(theta)));
    weight_a = std::sin((1 - alpha) * theta) / sine;
    weight_b = std::sin(alpha * theta) / sine;
  }
  if (flip) weight_b = -weight_b;
  const C wa = C(T(static_cast<C>(weight_a)));
  const C wb = C(T(static_cast<C>(weight_b)));
  const T real = T(C(T(C(a.real) * wa)) + C(T(C(b.real) * wb)));
  return {a.imaginary * wa + b.imaginary * wb, real};
}

}  // namespace

Quatd Normalized(const Quatd& q, double eps) {
  const double length = std::sqrt(Dot(q.imaginary, q.imaginary) + q.real * q.real);
  if (length < eps) return IdentityQuat<double>();
  return {q.imaginary * (1 / length), q.real / length};
}

Quath Slerp(double alpha, const Quath& a, const Quath& b) { return SlerpAny(alpha, a, b); }
Quatf Slerp(double alpha, const Quatf& a, const Quatf& b) { return SlerpAny(alpha, a, b); }
Quatd Slerp(double alpha, const Quatd& a, const Quatd& b) { return SlerpAny(alpha, a, b); }

}  // namespace stagedoor
