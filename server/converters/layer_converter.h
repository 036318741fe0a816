#ifndef STAGEDOOR_SERVER_CONVERTERS_LAYER_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_LAYER_CONVERTER_H_

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "scene/layer/spec_tree.h"

namespace stagedoor {

class Layer;

namespace v1 {
class LayerHeader;
class Spec;
enum LayerFormat : int;
}  // namespace v1

}  // namespace stagedoor

namespace stagedoor::server {

class ReplyBudget;

// The name of the LayerFormat that a request selects: crate if it selects none, empty for a value
// that the API does not define.
std::string_view LayerFormatName(v1::LayerFormat format);

struct LayerTraversalOptions {
  bool without_values = false;  // leave out default, timeSamples and spline
};

// Fills a LayerHeader with the layer's identifier, format and metadata; incomplete once the budget
// is used up.
void FillLayerHeader(const Layer& layer, ReplyBudget& budget, v1::LayerHeader* out);

// Fills the path and type of a spec.
void FillSpecName(const Layer& layer, SpecId spec, ReplyBudget& budget, v1::Spec* out);

// Fills path, type and fields of a spec, without the lists of its children.
void FillSpec(const Layer& layer, SpecId spec, const LayerTraversalOptions& options,
              ReplyBudget& budget, v1::Spec* out);

// Visits the specs of a layer depth first, in the order that ReadLayer documents: below a prim its
// properties in the layer's order, its variant sets and their variants by name, then its child
// prims. Not thread-safe.
class SpecTraversal {
 public:
  // `layer` must outlive the traversal.
  explicit SpecTraversal(const Layer& layer);

  bool done() const { return pending_.empty(); }
  // Returns the next spec. Requires !done().
  SpecId Next();

 private:
  void PushChildren(SpecId spec);
  void PushReversed(const std::vector<SpecId>& specs);

  const Layer& layer_;
  std::vector<SpecId> pending_;  // a stack; the next spec is at the back
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_LAYER_CONVERTER_H_
