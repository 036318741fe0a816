// The crate format for the layer registry.
#ifndef STAGEDOOR_SCENE_USDC_USDC_FORMAT_H_
#define STAGEDOOR_SCENE_USDC_USDC_FORMAT_H_

#include <memory>

#include "base/byte_budget.h"
#include "scene/layer/layer_format.h"
#include "scene/values/source_bytes.h"

namespace stagedoor {

// Layers view into the asset's mapping and keep it pinned; assets without one are read whole.
// Mappings that others may write to are SourceBytes, which `watch` knows; it outlives all layers.
// `expansions`: see ReadUsdc.
LayerFormat UsdcFormat(SourceWatch* watch = nullptr, std::shared_ptr<ByteBudget> expansions = {});

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_USDC_FORMAT_H_
