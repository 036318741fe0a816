#ifndef STAGEDOOR_SCENE_FRAME_FRAME_ATTRIBUTES_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_ATTRIBUTES_H_

#include <vector>

#include "base/request_context.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_selection.h"

namespace stagedoor {

// Those of FrameAttributesOf that vary. Faster, because prims author few of their attributes.
// `inherits` is whether the prim may inherit primvars. Internal to scene/frame. Incomplete once the
// request is over.
std::vector<FrameAttribute> VaryingAttributesOf(RequestContext& context,
                                                const FrameSelection& selection,
                                                const FrameGeometry& geometry, bool inherits);
std::vector<FrameAttribute> VaryingAttributesOf(RequestContext& context, const FrameLight& light);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_ATTRIBUTES_H_
