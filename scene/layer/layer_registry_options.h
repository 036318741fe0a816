#ifndef STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_OPTIONS_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_OPTIONS_H_

#include <cstdint>

#include "base/lru_cache.h"

namespace stagedoor {

// Limits of a LayerRegistry.
struct LayerRegistryOptions {
  uint64_t max_layer_bytes = uint64_t{64} << 30;  // size limit of an asset
  LruCacheOptions cache;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_OPTIONS_H_
