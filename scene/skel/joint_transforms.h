#ifndef STAGEDOOR_SCENE_SKEL_JOINT_TRANSFORMS_H_
#define STAGEDOOR_SCENE_SKEL_JOINT_TRANSFORMS_H_

#include <span>
#include <vector>

#include "scene/geom/bbox3d.h"
#include "scene/skel/joint_topology.h"
#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Transforms of joints. Pure functions, for row vectors: a * b applies a first.

// The local transform of a joint: scale, then rotation, then translation. Corresponds to
// UsdSkelMakeTransform.
Matrix4d MakeJointTransform(const Vec3f& translation, const Quatf& rotation, const Vec3h& scale);
void MakeJointTransform(const Vec3f& translation, const Quatf& rotation, const Vec3h& scale,
                        Matrix4d* out);

// Converts transforms relative to parents into skeleton space, and on by `root` if it is given. The
// topology must be valid and of the size of `local`. Corresponds to UsdSkelConcatJointTransforms.
std::vector<Matrix4d> ConcatJointTransforms(const JointTopology& topology,
                                            std::vector<Matrix4d> local,
                                            const Matrix4d* root = nullptr);

std::vector<Matrix4d> InverseTransforms(std::span<const Matrix4d> transforms);

// a[i] * b[i]; the sizes must be equal.
std::vector<Matrix4d> MultiplyTransforms(std::span<const Matrix4d> a, std::vector<Matrix4d> b);

// The range of the joints' origins in skeleton space, moved by `root` if it is given, and extended
// by `padding` on all sides. Corresponds to UsdSkelComputeJointsExtent.
Range3d JointsExtent(std::span<const Matrix4d> skel_transforms, float padding,
                     const Matrix4d* root = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_JOINT_TRANSFORMS_H_
