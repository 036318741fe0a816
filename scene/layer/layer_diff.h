#ifndef STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_

#include <vector>

#include "scene/layer/layer.h"
#include "scene/paths/path.h"

namespace stagedoor {

// Finds the prims that differ between two versions of a layer, for recomposition after edits.

struct PrimChange {
  Path path;
  // Whether the difference can change which sites contribute to the prim and its descendants, or
  // what population computes about them: a composition arc, a variant, a specifier, `active` or
  // `kind`, for example. Otherwise only the opinions of the prim itself differ. For a prim that
  // only one version has, true stands for its descendants too.
  bool shape = false;

  friend bool operator==(const PrimChange&, const PrimChange&) = default;
};

// The prims, with the pseudo-root, whose fields, properties, variants or order of children differ,
// or which only one version has. A difference inside a variant is attributed to the prim that has
// the variant set. Null stands for an empty layer. Has the role of OpenUSD's SdfChangeList. A pure
// function.
std::vector<PrimChange> ChangedPrims(const Layer* before, const Layer* after);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_
