// Which prims differ between two versions of a layer.
#ifndef STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_

#include <vector>

#include "scene/layer/layer.h"
#include "scene/paths/path.h"

namespace stagedoor {

// Paths of the prims (the pseudo-root for layer metadata) whose fields, properties, variants or
// order of children differ, and of those only one side has, without what is below them. What
// differs inside a variant counts for the prim that has the variant set. Either side may be null:
// an empty layer.
std::vector<Path> ChangedPrims(const Layer* before, const Layer* after);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_
