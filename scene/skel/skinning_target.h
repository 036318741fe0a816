#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_TARGET_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_TARGET_H_

#include <memory>

#include "base/request_context.h"
#include "scene/skel/pose_cache.h"
#include "scene/skel/skinning_query.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// A prim that is bound to a skeleton, at one of its places in the stage. Corresponds to an element
// of UsdSkelBinding.
//
// Instances of one prototype share `skinned`, which refers to one of them; the prims here are those
// of this place. Cheap to copy; valid as long as the stage snapshot.
struct SkinningTarget {
  Prim prim;
  Prim skeleton;
  Prim skel_root;                                // the SkelRoot it was found under
  Prim animation;                                // poses the skeleton; invalid if none
  std::shared_ptr<const SkinningQuery> skinned;  // null if the skeleton is invalid
  // Whether prim and skeleton move together with the instance that contains them. If so, all
  // targets that share `skinned` have the same deformation in the prim's space.
  bool deforms_as_others = false;

  SkinPose PoseAt(RequestContext& context, PoseCache& poses) const {
    return skinned->PoseAt(context, poses, prim, skeleton);
  }
  SkinResult Deform(RequestContext& context, PoseCache& poses, const SkinOptions& options) const {
    return skinned->Deform(context, PoseAt(context, poses), options);
  }
  // This target as seen from `to`, if it was found from `from`: the same SkelRoot, or the same
  // prim, below two instances of one prototype.
  SkinningTarget SeenFrom(const Prim& from, const Prim& to) const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_TARGET_H_
