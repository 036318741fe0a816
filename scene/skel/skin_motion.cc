#include "scene/skel/skin_motion.h"

#include "base/status_macros.h"
#include "scene/geom/xform_motion.h"

namespace stagedoor {

absl::Status AddSkinMotion(RequestContext& context, const SkinningTarget& target,
                           const SkinOptions& options, MotionTimes* times) {
  SD_RETURN_IF_ERROR(
      target.skinned->AddMotionTimes(context, target.prim, target.animation, options, times));
  if (!options.world_space) {
    return AddRelativeXformMotion(context, target.prim, target.skeleton, times);
  }
  SD_RETURN_IF_ERROR(AddXformMotion(context, target.prim, times));
  return AddXformMotion(context, target.skeleton, times);
}

}  // namespace stagedoor
