#ifndef STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_KERNELS_H_
#define STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_KERNELS_H_

#include "scene/skel/dual_quaternion.h"
#include "scene/skel/skinning_influences.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The kernel of dual quaternion skinning for many points, selected for the processor at run time.
// Internal to scene/skel.

// Affine transforms before and after the blended motion.
struct DualQuaternionFrame {
  Matrix4d before = Matrix4d::Identity();
  Matrix4d after = Matrix4d::Identity();
  bool unit_length = false;  // whether results are scaled to unit length
};

// Blends the motions of each point's joints by weight, and moves the point by the blend. Motions
// that rotate away from that of the point's first joint, which has the largest weight, are negated.
// `points` and `out` are those of the block and may be the same. Computes in double precision.
void SkinDualQuaternionBlock(const SkinningInfluences::Block& block, const DualQuaternion* motions,
                             const DualQuaternionFrame& frame, const Vec3f* points, Vec3f* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_DUAL_QUATERNION_KERNELS_H_
