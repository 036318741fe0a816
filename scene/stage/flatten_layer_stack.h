// Flattening of a layer stack alone: the session layer, the root layer and all sublayers written
// into one layer, with every arc as it was.
#ifndef STAGEDOOR_SCENE_STAGE_FLATTEN_LAYER_STACK_H_
#define STAGEDOOR_SCENE_STAGE_FLATTEN_LAYER_STACK_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/composition/layer_stack.h"
#include "scene/layer/asset_uses.h"
#include "scene/layer/layer.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// What an asset path that `layer` states is called in the flattened layer.
using AnchorAssetUse =
    std::function<std::string(const Layer& layer, AssetUse use, const std::string& authored)>;

// As UsdUtilsFlattenLayerStack: references, payloads, inherits, specializes and variants stay;
// offsets of sublayers go into samples, time codes and the offsets of arcs; list edits are composed
// ("add" becomes append and "reorder" is dropped where no single edit does the same). Where OpenUSD
// writes a layer that composes to something else than the stack, this does not: times of clips and
// splines are mapped too, asset paths in dictionaries and "./" clip templates are anchored, and of
// samples, splines, defaults and relocates only what the stronger layers leave visible is written.
// Fails only when the request was cancelled or its deadline passed.
absl::StatusOr<std::shared_ptr<const Layer>> FlattenLayerStack(RequestContext& context,
                                                               const LayerStack& stack,
                                                               const AnchorAssetUse& anchor,
                                                               Layer::Info info);

// The stage's own layer stack; expressions in asset paths are evaluated and the paths anchored.
absl::StatusOr<std::shared_ptr<const Layer>> FlattenLayerStack(RequestContext& context,
                                                               const Stage& stage,
                                                               Layer::Info info);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_FLATTEN_LAYER_STACK_H_
