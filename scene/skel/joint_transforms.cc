#include "scene/skel/joint_transforms.h"

#include "scene/geom/extents.h"
#include "scene/skel/matrix_kernels.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/quat.h"
#include "scene/values/vec.h"

namespace stagedoor {
void MakeJointTransform(const Vec3f& translation, const Quatf& rotation, const Vec3h& scale,
                        Matrix4d* out) {
  // The rotation matrix of GfMatrix4d::SetRotate; scaling its rows applies the scale before the
  // rotation. The quaternion is used as authored, without normalization.
  const double x = rotation.imaginary[0], y = rotation.imaginary[1], z = rotation.imaginary[2];
  const double w = rotation.real;
  const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (z * x - y * w)},
                             {2 * (x * y - z * w), 1 - 2 * (z * z + x * x), 2 * (y * z + x * w)},
                             {2 * (z * x + y * w), 2 * (y * z - x * w), 1 - 2 * (y * y + x * x)}};
  for (int row = 0; row < 3; ++row) {
    const double by = float(scale[row]);
    for (int column = 0; column < 3; ++column) out->m[row][column] = rows[row][column] * by;
    out->m[row][3] = 0;
    out->m[3][row] = translation[row];
  }
  out->m[3][3] = 1;
}

Matrix4d MakeJointTransform(const Vec3f& translation, const Quatf& rotation, const Vec3h& scale) {
  Matrix4d m;
  MakeJointTransform(translation, rotation, scale, &m);
  return m;
}

std::vector<Matrix4d> ConcatJointTransforms(const JointTopology& topology,
                                            std::vector<Matrix4d> local, const Matrix4d* root) {
  // In place: each joint is read before it is overwritten, and its parent, which comes first, is in
  // skeleton space by then.
  ConcatMatrices(topology.parents(), local, root ? *root : Matrix4d::Identity(), local);
  return local;
}

std::vector<Matrix4d> InverseTransforms(std::span<const Matrix4d> transforms) {
  std::vector<Matrix4d> result;
  result.reserve(transforms.size());
  for (const Matrix4d& m : transforms) result.push_back(Inverse(m));
  return result;
}

std::vector<Matrix4d> MultiplyTransforms(std::span<const Matrix4d> a, std::vector<Matrix4d> b) {
  // Into `b`, which the caller gave up: poses are large enough for the copy to count.
  MultiplyMatrices(a, b, b);
  return b;
}

Range3d JointsExtent(std::span<const Matrix4d> skel_transforms, float padding,
                     const Matrix4d* root) {
  Range3d range;
  for (const Matrix4d& m : skel_transforms) {
    // OpenUSD computes extents in GfRange3f, so rounding happens before and after the root.
    const Vec3d pivot = RoundedToFloat(ExtractTranslation(m));
    range.Extend(root ? RoundedToFloat(TransformAffine(pivot, *root)) : pivot);
  }
  for (int i = 0; i < 3; ++i) {
    range.min[i] = static_cast<float>(range.min[i]) - padding;
    range.max[i] = static_cast<float>(range.max[i]) + padding;
  }
  return range;
}

}  // namespace stagedoor
