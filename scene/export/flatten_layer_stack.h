#ifndef STAGEDOOR_SCENE_EXPORT_FLATTEN_LAYER_STACK_H_
#define STAGEDOOR_SCENE_EXPORT_FLATTEN_LAYER_STACK_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/composition/layer_stack.h"
#include "scene/layer/asset_dependencies.h"
#include "scene/layer/layer.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Flattens a layer stack: merges the session layer, the root layer and all sublayers into one layer
// and leaves every other composition arc in place.

// Returns the asset path to write to the flattened layer for `authored`, which `layer` states.
using AnchorAssetPathFunction =
    std::function<std::string(const Layer& layer, DependencyType use, const std::string& authored)>;

// Corresponds to OpenUSD's UsdFlattenLayerStack (UsdUtilsFlattenLayerStack). References, payloads,
// inherits, specializes and variants stay. The offsets of sublayers are applied to time samples,
// time codes and the offsets of arcs. List ops are composed; if no single list op has the same
// effect, "add" becomes append and "reorder" is dropped.
//
// Differs from OpenUSD where its result would compose to other values than the layer stack: the
// times of clips and splines are mapped too, asset paths in dictionaries and "./" clip templates
// are anchored, and samples, splines, defaults and relocates hidden by stronger layers are not
// written.
//
// Fails only if the request is cancelled, misses its deadline or exceeds its limits.
absl::StatusOr<std::shared_ptr<const Layer>> FlattenLayerStack(
    RequestContext& context, const LayerStack& stack, const AnchorAssetPathFunction& anchor,
    Layer::Info info);

// Flattens the stage's root layer stack. Variable expressions in asset paths are evaluated and the
// paths anchored to their layers.
absl::StatusOr<std::shared_ptr<const Layer>> FlattenLayerStack(RequestContext& context,
                                                               const Stage& stage,
                                                               Layer::Info info);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EXPORT_FLATTEN_LAYER_STACK_H_
