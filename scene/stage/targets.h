// Composition of relationship targets and connections.
#ifndef STAGEDOOR_SCENE_STAGE_TARGETS_H_
#define STAGEDOOR_SCENE_STAGE_TARGETS_H_

#include <vector>

#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The list-edited paths of `field` (targetPaths or connectionPaths), each translated from the site
// that authors it to the stage as `prim` sees it; paths without an image are left out.
// Incomplete once the context has ended.
std::vector<Path> ComposeTargets(RequestContext& context, const Prim& prim, Token property,
                                 Token field);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_TARGETS_H_
