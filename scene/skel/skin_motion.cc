#include "scene/skel/skin_motion.h"

#include "base/status_macros.h"
#include "scene/geom/xform_motion.h"

namespace stagedoor {

absl::Status AddSkinMotion(RequestContext& context, const SkinningTarget& target,
                           const SkinOptions& options, SourceSink* sink) {
  SD_RETURN_IF_ERROR(
      target.skinned->AddSources(context, target.prim, target.animation, options, sink));
  if (!options.world_space) {
    return AddRelativeXformMotion(context, target.prim, target.skeleton, sink);
  }
  SD_RETURN_IF_ERROR(AddXformMotion(context, target.prim, sink));
  return AddXformMotion(context, target.skeleton, sink);
}

}  // namespace stagedoor
