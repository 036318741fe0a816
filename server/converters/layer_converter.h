#ifndef STAGEDOOR_SERVER_CONVERTERS_LAYER_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_LAYER_CONVERTER_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "scene/layer/spec_tree.h"

namespace stagedoor {

class Layer;
class ReplyBudget;

namespace v1 {
class LayerHeader;
class Spec;
}  // namespace v1

struct LayerTraversalOptions {
  bool without_values = false;  // leave out default, timeSamples and spline
};

// The layer's own fields. What does not fit into the budget is left out.
void FillLayerHeader(const Layer& layer, ReplyBudget& budget, v1::LayerHeader* out);

// Path and type of a spec.
void FillSpecName(const Layer& layer, SpecId spec, ReplyBudget& budget, v1::Spec* out);

// One spec without its children.
void FillSpec(const Layer& layer, SpecId spec, const LayerTraversalOptions& options,
              ReplyBudget& budget, v1::Spec* out);

// Visits the specs of a layer in the order of the API: below a prim its properties in the layer's
// order, its variant sets and their variants by name, then its child prims. Not thread-safe.
class SpecTraversal {
 public:
  // `layer` outlives the walk.
  explicit SpecTraversal(const Layer& layer);

  bool done() const { return pending_.empty(); }
  // The next spec; must not be done.
  SpecId Next();

 private:
  void PushChildren(SpecId spec);
  void PushReversed(const std::vector<SpecId>& specs);

  const Layer& layer_;
  std::vector<SpecId> pending_;  // the next one last
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_LAYER_CONVERTER_H_
