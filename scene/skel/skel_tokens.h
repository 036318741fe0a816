#ifndef STAGEDOOR_SCENE_SKEL_SKEL_TOKENS_H_
#define STAGEDOOR_SCENE_SKEL_SKEL_TOKENS_H_

#include "scene/paths/token.h"

namespace stagedoor {

// clang-format off
#define STAGEDOOR_SKEL_TOKENS(X)                                                                 \
  X(SkelRoot) X(Skeleton) X(SkelAnimation) X(BlendShape) X(SkelBindingAPI) X(joints)             \
  X(bindTransforms) X(restTransforms) X(translations) X(rotations) X(scales) X(blendShapes)      \
  X(blendShapeWeights) X(offsets) X(normalOffsets) X(pointIndices) X(dualQuaternion)             \
  X(faceVertexIndices) X(weight) X(classicLinear)
// clang-format on

// The names that UsdSkel queries look for, interned once. Corresponds to UsdSkelTokens.
struct SkelTokens {
#define X(name) const Token name{#name};
  STAGEDOOR_SKEL_TOKENS(X)
#undef X
  const Token skeleton_rel{"skel:skeleton"};
  const Token animation_source{"skel:animationSource"};
  const Token bound_joints{"skel:joints"};
  const Token bound_blend_shapes{"skel:blendShapes"};
  const Token blend_shape_targets{"skel:blendShapeTargets"};
  const Token skinning_method{"primvars:skel:skinningMethod"};
  const Token geom_bind_transform{"primvars:skel:geomBindTransform"};
  const Token joint_indices{"primvars:skel:jointIndices"};
  const Token joint_weights{"primvars:skel:jointWeights"};
};

const SkelTokens& Skel();

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKEL_TOKENS_H_
