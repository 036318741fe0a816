// Finds the prims that differ between two versions of a layer, for recomposition after edits.
#ifndef STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_

#include <optional>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/paths/path.h"

namespace stagedoor {

// The paths of prims whose fields, properties, variants or order of children differ, and of prims
// that only one version has, without their descendants. The pseudo-root stands for layer metadata.
// A difference inside a variant is attributed to the prim that has the variant set. Null stands for
// an empty layer. Has the role of OpenUSD's SdfChangeList. A pure function.
std::vector<Path> ChangedPrims(const Layer* before, const Layer* after);

// The paths of all prims, with the pseudo-root, about which two versions of a layer have different
// opinions or only one has a spec. Nothing if the difference can change which prims a stage has, of
// which sites they consist, or what population computes about them: a change of a composition arc,
// a variant, a specifier, `active` or `kind`, for example. A pure function.
std::optional<std::vector<Path>> ChangedOpinions(const Layer* before, const Layer* after);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_DIFF_H_
