#include "scene/skel/joint_dual_quaternions.h"

#include <cmath>

#include "scene/values/matrix.h"

namespace stagedoor {

JointDualQuaternions::JointDualQuaternions(std::span<const Matrix4d> joints) {
  motions_.reserve(joints.size());
  scales_.reserve(joints.size());
  for (const Matrix4d& m : joints) {
    // A dual quaternion cannot hold a scale, so each transform is split into a scale (with shear)
    // and a rigid motion. A singular transform has no such parts; as in OpenUSD its motion is zero
    // and adds nothing to a blend.
    MatrixFactors factors;
    if (!Factor(m, &factors)) {
      motions_.push_back({});
      scales_.push_back(Matrix4d::Identity());
      continue;
    }
    Orthonormalize(&factors.rotation);
    // The scale is what remains after undoing the rigid motion, so that scale * motion is exact.
    const Matrix4d rigid = factors.rotation * TranslationMatrix(factors.translation);
    Add(DualQuaternion::From(ExtractRotation(ExtractRotationMatrix(factors.rotation)),
                             factors.translation),
        ExtractRotationMatrix(m * Inverse(rigid)));
  }
}

JointDualQuaternions::JointDualQuaternions(std::span<const Matrix3d> joints) {
  motions_.reserve(joints.size());
  scales_.reserve(joints.size());
  for (const Matrix3d& m : joints) {
    Matrix3d rotation = m;
    Orthonormalize(&rotation);
    Add(DualQuaternion::From(ExtractRotation(rotation), {}), m * Inverse(rotation));
  }
}

void JointDualQuaternions::Add(const DualQuaternion& motion, const Matrix3d& scale) {
  motions_.push_back(motion);
  scales_.push_back(TransformMatrix(scale));
  // Most rigs do not scale joints; then the blending of scales is skipped for all points.
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      has_scales_ = has_scales_ || !(std::abs(scale.m[i][j] - (i == j)) < 1e-6);
    }
  }
}

}  // namespace stagedoor
