// Transforms of joints. Pure functions.
#ifndef STAGEDOOR_SCENE_SKEL_JOINT_TRANSFORMS_H_
#define STAGEDOOR_SCENE_SKEL_JOINT_TRANSFORMS_H_

#include <span>
#include <vector>

#include "scene/geom/bbox3d.h"
#include "scene/skel/joint_topology.h"
#include "scene/values/linear_types.h"

namespace stagedoor {

// Scale, then rotation, then translation.
Matrix4d MakeJointTransform(const Vec3f& translation, const Quatf& rotation, const Vec3h& scale);
void MakeJointTransform(const Vec3f& translation, const Quatf& rotation, const Vec3h& scale,
                        Matrix4d* out);

// Transforms relative to parents made relative to the skeleton (and then `root`, where given). The
// topology must be valid and `local` of its size.
std::vector<Matrix4d> ConcatJointTransforms(const JointTopology& topology,
                                            std::vector<Matrix4d> local,
                                            const Matrix4d* root = nullptr);

std::vector<Matrix4d> InverseTransforms(std::span<const Matrix4d> transforms);

// a[i] * b[i]; sizes agree.
std::vector<Matrix4d> MultiplyTransforms(std::span<const Matrix4d> a, std::vector<Matrix4d> b);

// The range of the joints' origins, moved by `root`, grown by `padding` on all sides.
Range3d JointsExtent(std::span<const Matrix4d> skel_transforms, float padding,
                     const Matrix4d* root = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_JOINT_TRANSFORMS_H_
