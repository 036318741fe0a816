#ifndef STAGEDOOR_SCENE_SKEL_JOINT_DUAL_QUATERNIONS_H_
#define STAGEDOOR_SCENE_SKEL_JOINT_DUAL_QUATERNIONS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "scene/skel/dual_quaternion.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {

// Skinning transforms in the form that dual quaternion skinning needs. Corresponds to
// _ConvertToDualQuaternions and _ConvertToQuaternions in OpenUSD's usdSkel/utils.cpp. Internal to
// scene/skel.
//
// For each joint a rigid motion, and the scale (with shear) that is applied before it. Immutable.
class JointDualQuaternions {
 public:
  explicit JointDualQuaternions(std::span<const Matrix4d> joints);
  // For normals: motions are rotations only.
  explicit JointDualQuaternions(std::span<const Matrix3d> joints);

  const std::vector<DualQuaternion>& motions() const { return motions_; }
  // The scales, without translation.
  const std::vector<Matrix4d>& scales() const { return scales_; }
  // Whether any scale differs from the identity by more than rounding.
  bool has_scales() const { return has_scales_; }

 private:
  void Add(const DualQuaternion& motion, const Matrix3d& scale);

  std::vector<DualQuaternion> motions_;
  std::vector<Matrix4d> scales_;
  bool has_scales_ = false;
};

// Moves `element` by the blend of `count` weighted motions, step by step as OpenUSD does: scales
// are blended linearly and applied first; motions take the sign that agrees with the motion at
// `pivot`, a position in `indices`.
template <typename Index>
Vec3d BlendDualQuaternions(const JointDualQuaternions& joints, const Vec3f& element,
                           const Index* indices, const float* weights, size_t count, size_t pivot) {
  const std::vector<DualQuaternion>& motions = joints.motions();
  Vec3f scaled{};
  DualQuaternion sum{};
  for (size_t i = 0; i < count; ++i) {
    if (weights[i] == 0) continue;
    const size_t joint = static_cast<size_t>(indices[i]);
    if (joints.has_scales()) {
      const Vec3d part = TransformDir(VecCast<double>(element), joints.scales()[joint]);
      scaled = scaled + VecCast<float>(part) * weights[i];
    }
    const double agreement = Dot(motions[joint], motions[static_cast<size_t>(indices[pivot])]);
    sum.Add(motions[joint], agreement < 0 ? -weights[i] : weights[i]);
  }
  sum.Normalize();
  return sum.Transform(VecCast<double>(joints.has_scales() ? scaled : element));
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_JOINT_DUAL_QUATERNIONS_H_
