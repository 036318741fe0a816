// Products of many matrices, and weighted sums of offsets, by the processor's vector units.
// Internal to scene/skel.
#ifndef STAGEDOOR_SCENE_SKEL_MATRIX_KERNELS_H_
#define STAGEDOOR_SCENE_SKEL_MATRIX_KERNELS_H_

#include <span>

#include "scene/values/linear_types.h"

namespace stagedoor {

// A joint's transform as 4 rows of 4 floats (the fourth unused), 64-byte aligned.
struct alignas(64) JointRows {
  float rows[4][4];
};

// out[i] = before * joints[i].
void MakeJointRows(const Matrix4d& before, std::span<const Matrix4d> joints,
                   std::span<JointRows> out);
// out[i] = a[i] * b[i]; `out` may be one of them.
void MultiplyMatrices(std::span<const Matrix4d> a, std::span<const Matrix4d> b,
                      std::span<Matrix4d> out);
// out[i] = a[i] * b.
void MultiplyMatrices(std::span<const Matrix4d> a, const Matrix4d& b, std::span<Matrix4d> out);
// out[i] = local[i] * out[parents[i]], where the parent comes first; roots (negative parents) are
// multiplied by `root`. `out` may be `local`.
void ConcatMatrices(std::span<const int> parents, std::span<const Matrix4d> local,
                    const Matrix4d& root, std::span<Matrix4d> out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_MATRIX_KERNELS_H_
