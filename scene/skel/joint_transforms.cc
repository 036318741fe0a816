#include "scene/skel/joint_transforms.h"

#include "scene/values/matrix_math.h"

namespace stagedoor {

Matrix4d MakeJointTransform(const Vec3f& translation, const Quatf& rotation, const Vec3h& scale) {
  Matrix4d m = RotationMatrix(QuatCast<double>(rotation));
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) m.m[row][column] *= float(scale[row]);
  }
  SetTranslation(VecCast<double>(translation), &m);
  return m;
}

std::vector<Matrix4d> ConcatJointTransforms(const JointTopology& topology,
                                            std::span<const Matrix4d> local, const Matrix4d* root) {
  std::vector<Matrix4d> result(local.size());
  for (size_t i = 0; i < local.size(); ++i) {
    const int parent = topology.parent(i);
    if (parent >= 0) {
      result[i] = local[i] * result[static_cast<size_t>(parent)];
    } else {
      result[i] = root ? local[i] * *root : local[i];
    }
  }
  return result;
}

std::vector<Matrix4d> InverseTransforms(std::span<const Matrix4d> transforms) {
  std::vector<Matrix4d> result;
  result.reserve(transforms.size());
  for (const Matrix4d& m : transforms) result.push_back(Inverse(m));
  return result;
}

std::vector<Matrix4d> MultiplyTransforms(std::span<const Matrix4d> a, std::span<const Matrix4d> b) {
  std::vector<Matrix4d> result;
  result.reserve(a.size());
  for (size_t i = 0; i < a.size(); ++i) result.push_back(a[i] * b[i]);
  return result;
}

Range3d JointsExtent(std::span<const Matrix4d> skel_transforms, float padding,
                     const Matrix4d* root) {
  Range3d range;
  for (const Matrix4d& m : skel_transforms) {
    const Vec3d pivot = VecCast<double>(VecCast<float>(Translation(m)));
    range.Extend(root ? VecCast<double>(VecCast<float>(TransformAffine(pivot, *root))) : pivot);
  }
  for (int i = 0; i < 3; ++i) {
    range.min[i] = static_cast<float>(range.min[i]) - padding;
    range.max[i] = static_cast<float>(range.max[i]) + padding;
  }
  return range;
}

}  // namespace stagedoor
