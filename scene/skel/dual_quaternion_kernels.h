// The bulk kernel of dual quaternion skinning, chosen for the processor at run time. Internal to
// scene/skel.
#ifndef STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_KERNELS_H_
#define STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_KERNELS_H_

#include "scene/skel/dual_quaternion.h"
#include "scene/skel/skinning_influences.h"
#include "scene/values/linear_types.h"

namespace stagedoor {

// What comes before and after the blended motion: affine.
struct DualQuaternionFrame {
  Matrix4d before = Matrix4d::Identity();
  Matrix4d after = Matrix4d::Identity();
  bool unit_length = false;  // of results
};

// Blends the motions of each point's joints by weight, those that turn away from the motion of the
// point's first joint negated, and moves the point by the blend. `points` and `out` are those of
// the block; they may be the same. Computes with doubles.
void SkinDualQuaternionBlock(const SkinningInfluences::Block& block, const DualQuaternion* motions,
                             const DualQuaternionFrame& frame, const Vec3f* points, Vec3f* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_KERNELS_H_
