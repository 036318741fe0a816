#ifndef STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_H_
#define STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_H_

#include <cmath>

#include "scene/values/quat.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {

// Dual quaternions, as far as skinning needs them: rigid motions that can be blended without
// shrinking the shape. Corresponds to OpenUSD's GfDualQuatd.
struct DualQuaternion {
  Quatd real;
  Quatd dual;

  // The motion that rotates by `rotation` (of unit length) and then translates.
  static DualQuaternion From(const Quatd& rotation, const Vec3d& translation) {
    const Quatd t{translation * 0.5, 0};
    return {rotation, t * rotation};
  }
  void Add(const DualQuaternion& other, double weight) {
    real = {real.imaginary + other.real.imaginary * weight, real.real + other.real.real * weight};
    dual = {dual.imaginary + other.dual.imaginary * weight, dual.real + other.dual.real * weight};
  }
  // Makes this a unit dual quaternion; the identity if the rotation vanishes.
  void Normalize() {
    const double length = std::sqrt(Dot(real.imaginary, real.imaginary) + real.real * real.real);
    if (length < 1e-10) {
      *this = {IdentityQuat<double>(), Quatd()};
      return;
    }
    const double s = 1 / length;
    real = {real.imaginary * s, real.real * s};
    dual = {dual.imaginary * s, dual.real * s};
    const double along = Dot(real.imaginary, dual.imaginary) + real.real * dual.real;
    dual = {dual.imaginary - real.imaginary * along, dual.real - real.real * along};
  }
  // Moves a point. Requires a unit dual quaternion.
  Vec3d Transform(const Vec3d& p) const {
    // p rotated by the real part, plus the translation 2 * dual * conjugate(real).
    const Vec3d& u = real.imaginary;
    const double w = real.real;
    const Vec3d once = Cross(u, p) + p * w;
    const Vec3d turned = p + Cross(u, once) * 2;
    const Vec3d moved = (dual.imaginary * w - u * dual.real + Cross(u, dual.imaginary)) * 2;
    return turned + moved;
  }
};

// The dot product of the real parts; negative if the blend would go the long way round.
inline double Dot(const DualQuaternion& a, const DualQuaternion& b) {
  return Dot(a.real.imaginary, b.real.imaginary) + a.real.real * b.real.real;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_H_
