#ifndef STAGEDOOR_SCENE_SKEL_SKIN_MOTION_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_MOTION_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/geom/source_sink.h"
#include "scene/skel/skinning_query.h"
#include "scene/skel/skinning_target.h"

namespace stagedoor {

// The sources that the deformation of a skinned prim varies with.

// Adds the sources of all that SkinningTarget::Deform reads with these options: the animation, the
// prim's points and influences, and the transforms that move the skeleton and the prim against each
// other or, in world space, all of their transforms. The target must have a SkinningQuery.
absl::Status AddSkinMotion(RequestContext& context, const SkinningTarget& target,
                           const SkinOptions& options, SourceSink* sink);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_MOTION_H_
