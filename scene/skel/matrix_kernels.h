#ifndef STAGEDOOR_SCENE_SKEL_MATRIX_KERNELS_H_
#define STAGEDOOR_SCENE_SKEL_MATRIX_KERNELS_H_

#include <span>

#include "scene/values/matrix.h"

namespace stagedoor {

// Products of many matrices with the vector units of the processor. Internal to scene/skel.

// A joint's transform as 4 rows of 4 floats (the fourth column is unused), aligned to 64 bytes.
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
// out[i] = local[i] * out[parents[i]], where parents come first; root joints (with a negative
// parent) are multiplied by `root`. `out` may be `local`.
void ConcatMatrices(std::span<const int> parents, std::span<const Matrix4d> local,
                    const Matrix4d& root, std::span<Matrix4d> out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_MATRIX_KERNELS_H_
