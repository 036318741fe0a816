// SkinningTarget: a prim that is bound to a skeleton, where it is met in the stage.
#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_TARGET_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_TARGET_H_

#include <memory>

#include "base/request_context.h"
#include "scene/skel/pose_cache.h"
#include "scene/skel/skinning_query.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Instances of one prototype share `skinned`, which knows one of them: where the others are is said
// here. Cheap to copy; valid as long as the stage snapshot.
struct SkinningTarget {
  Prim prim;
  Prim skeleton;
  Prim skel_root;                                // that it was found under
  Prim animation;                                // that poses the skeleton; invalid: none
  std::shared_ptr<const SkinningQuery> skinned;  // null where the skeleton is invalid
  // Whether prim and skeleton move together with the instance they are below: in the prim's space,
  // all that share `skinned` are deformed alike.
  bool deforms_as_others = false;

  SkinPose PoseAt(RequestContext& context, PoseCache& poses) const {
    return skinned->PoseAt(context, poses, prim, skeleton);
  }
  SkinResult Deform(RequestContext& context, PoseCache& poses, const SkinOptions& options) const {
    return skinned->Deform(context, PoseAt(context, poses), options);
  }
  // As it is met from `to`, where this one was met from `from`: the same SkelRoot, or the same
  // prim, below two instances of one prototype.
  SkinningTarget SeenFrom(const Prim& from, const Prim& to) const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_TARGET_H_
