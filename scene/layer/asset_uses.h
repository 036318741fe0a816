// Every place of a layer that names another asset.
#ifndef STAGEDOOR_SCENE_LAYER_ASSET_USES_H_
#define STAGEDOOR_SCENE_LAYER_ASSET_USES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {

enum class AssetUse : uint8_t {
  kSublayer,
  kReference,
  kPayload,
  kClip,          // a clip layer, or a manifest
  kClipTemplate,  // a pattern with '#', not a path
  kValue,         // of an attribute or of metadata
};

// Calls visit(use, authored path) for every path of the layer that is not empty, in spec order; all
// variants and samples are looked at.
void VisitAssetUses(const Layer& layer,
                    const std::function<void(AssetUse, const std::string&)>& visit);

// The value of one field with each of its paths replaced by rewrite(use, path).
Value RewriteAssetPaths(Token field, const Value& value,
                        const std::function<std::string(AssetUse, const std::string&)>& rewrite);

// The layer with each of these paths replaced by rewrite(use, path).
LayerBuilder RewriteAssetUses(
    const Layer& layer, const std::function<std::string(AssetUse, const std::string&)>& rewrite);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_ASSET_USES_H_
