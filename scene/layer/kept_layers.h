#ifndef STAGEDOOR_SCENE_LAYER_KEPT_LAYERS_H_
#define STAGEDOOR_SCENE_LAYER_KEPT_LAYERS_H_

#include <memory>
#include <string>
#include <unordered_map>

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

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_KEPT_LAYERS_H_
