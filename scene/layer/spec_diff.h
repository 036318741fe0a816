#ifndef STAGEDOOR_SCENE_LAYER_SPEC_DIFF_H_
#define STAGEDOOR_SCENE_LAYER_SPEC_DIFF_H_

#include <functional>
#include <vector>

#include "base/pacer.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"

namespace stagedoor {

// Finds the specs and fields that differ between two versions of a layer, to tell those who watch a
// stage. Finer than ChangedPrims (layer_diff.h), which tells what to compose again.

// The difference between the specs of a prim or property. A prim that only one layer has is
// compared with an `over` without opinions, since that is what its absence means.
struct SpecChange {
  Path prim;       // the prim spec, with variant selections, or the pseudo-root
  Token property;  // empty for the prim itself
  // The fields that differ, in no particular order. Without those that describe the namespace.
  std::vector<Token> fields;
  // Only one layer has the prim.
  bool one_sided = false;
  // The variants of the prim differ, or the order of its children; or the property is only in one
  // layer, or of another kind there.
  bool structure = false;
};

// Calls visit(change) for each spec that differs, until it returns false or the pacer stops. Null
// stands for an empty layer. False if it was stopped, in which case changes are missing.
bool VisitSpecChanges(Pacer& pacer, const Layer* before, const Layer* after,
                      const std::function<bool(const SpecChange&)>& visit);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_SPEC_DIFF_H_
