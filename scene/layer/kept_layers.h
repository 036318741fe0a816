#ifndef STAGEDOOR_SCENE_LAYER_KEPT_LAYERS_H_
#define STAGEDOOR_SCENE_LAYER_KEPT_LAYERS_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "scene/layer/layer.h"

namespace stagedoor {

// Layers by identifier that a stage uses instead of opening the current versions of their assets,
// so that an edit does not bring in changed files.
using KeptLayers = std::unordered_map<std::string, std::shared_ptr<const Layer>>;

// The layer to use for an identifier; null if its current version is to be opened. `kept` may be
// null.
inline std::shared_ptr<const Layer> FindKept(const std::shared_ptr<const KeptLayers>& kept,
                                             const std::string& identifier) {
  if (kept == nullptr) return nullptr;
  const auto it = kept->find(identifier);
  return it == kept->end() ? nullptr : it->second;
}

// `kept`, which may be null, with those of `layers` that have assets and are not among them.
inline std::shared_ptr<const KeptLayers> KeepLayers(
    const std::shared_ptr<const KeptLayers>& kept,
    const std::vector<std::shared_ptr<const Layer>>& layers) {
  auto all = kept ? std::make_shared<KeptLayers>(*kept) : std::make_shared<KeptLayers>();
  for (const std::shared_ptr<const Layer>& layer : layers) {
    if (!layer->info().anonymous) all->try_emplace(layer->identifier(), layer);
  }
  return all;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_KEPT_LAYERS_H_
