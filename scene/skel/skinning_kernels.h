#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_KERNELS_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_KERNELS_H_

#include "scene/skel/blend_kernels.h"
#include "scene/skel/matrix_kernels.h"
#include "scene/skel/skinning_influences.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Kernels of linear blend skinning for many points, selected for the processor at run time.
// Internal to scene/skel.

// Blends the rows of each point's joints by weight, transforms the point by the blend and adds
// `offset`. `points` and `out` are those of the block and may be the same. Computes in float.
void SkinBlock(const SkinningInfluences::Block& block, const JointRows* joints, const Vec3f* points,
               const Vec3f& offset, Vec3f* out);
// As above, for wide points, whose fourth number is ignored.
void SkinBlock(const SkinningInfluences::Block& block, const JointRows* joints,
               const WideVector* points, const Vec3f& offset, Vec3f* out);
// As SkinBlock, for normals, by joints whose fourth rows must be zero; results are scaled to unit
// length.
void SkinNormalBlock(const SkinningInfluences::Block& block, const JointRows* joints,
                     const Vec3f* normals, Vec3f* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_KERNELS_H_
