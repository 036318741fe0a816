// The bulk kernel of linear blend skinning, chosen for the processor at run time. Internal to
// scene/skel.
#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_KERNELS_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_KERNELS_H_

#include "scene/skel/influences.h"
#include "scene/values/linear.h"

namespace stagedoor {

// A joint's transform as 4 rows of 4 floats (the fourth unused), 64-byte aligned.
struct alignas(64) JointRows {
  float rows[4][4];
};

// Blends the rows of each point's joints by weight and transforms the point. `points` and `out` are
// those of the block; they may be the same. With `normalize` results are scaled to unit length.
void SkinBlock(const PreparedInfluences::Block& block, const JointRows* joints, const Vec3f* points,
               bool normalize, Vec3f* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_KERNELS_H_
