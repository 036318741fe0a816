#include "scene/values/vector_math.h"

#include <cmath>

namespace stagedoor {
namespace {

template <typename T>
Quat<T> SlerpAny(double alpha, const Quat<T>& a, const Quat<T>& b) {
  // The angle in the type's own precision, the weights in double, as OpenUSD has it.
  using C = Computed<T>;
  C cosine = Dot(a.imaginary, b.imaginary) + C(a.real) * C(b.real);
  const bool flip = cosine < 0;
  if (flip) cosine = -cosine;
  double weight_a = 1 - alpha;
  double weight_b = alpha;
  if (1 - cosine > 0.00001) {
    const C theta = std::acos(cosine);
    const C sine = std::sin(theta);
    weight_a = std::sin((1 - alpha) * theta) / sine;
    weight_b = std::sin(alpha * theta) / sine;
  }
  if (flip) weight_b = -weight_b;
  const C wa = static_cast<C>(weight_a);
  const C wb = static_cast<C>(weight_b);
  return {a.imaginary * wa + b.imaginary * wb, T(C(a.real) * wa + C(b.real) * wb)};
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
