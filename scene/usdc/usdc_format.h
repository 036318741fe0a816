#ifndef STAGEDOOR_SCENE_USDC_USDC_FORMAT_H_
#define STAGEDOOR_SCENE_USDC_USDC_FORMAT_H_

#include <memory>

#include "base/memory_pool.h"
#include "scene/layer/layer_format.h"
#include "scene/values/source_bytes.h"

namespace stagedoor {

// The crate format (.usdc) as a LayerFormat. Corresponds to OpenUSD's SdfUsdcFileFormat.

// Layers view into the asset's mapping and keep it pinned; assets without a mapping are read into
// memory. Mappings that others may write to become SourceBytes, which report changes to `watch`. It
// may be null and must outlive all layers. For `expansions` see ReadUsdc.
LayerFormat UsdcFormat(SourceWatch* watch = nullptr, std::shared_ptr<MemoryPool> expansions = {});

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_USDC_FORMAT_H_
