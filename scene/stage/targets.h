#ifndef STAGEDOOR_SCENE_STAGE_TARGETS_H_
#define STAGEDOOR_SCENE_STAGE_TARGETS_H_

#include <vector>

#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Composes relationship targets and attribute connections (Core Specification 12.4, "Relationships
// and Attribute Connections"). Corresponds to OpenUSD's PcpBuildTargetIndex.

struct ComposedTargets {
  std::vector<Path> paths;
  // Whether a path without an image in the stage was dropped, unless it was one to delete. Then
  // UsdRelationship::GetTargets returns false.
  bool dropped = false;
};

// Composes the list ops of `field` (targetPaths or connectionPaths) and translates each path from
// the site that authors it to the stage as `prim` sees it; a path without an image there is
// dropped. Incomplete once the request is over.
ComposedTargets ComposeTargets(RequestContext& context, const Prim& prim, Token property,
                               Token field);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_TARGETS_H_
