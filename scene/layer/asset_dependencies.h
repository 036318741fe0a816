#ifndef STAGEDOOR_SCENE_LAYER_ASSET_DEPENDENCIES_H_
#define STAGEDOOR_SCENE_LAYER_ASSET_DEPENDENCIES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {

// Finds and rewrites all asset paths in a layer. Corresponds to OpenUSD's
// UsdUtilsExtractExternalReferences and UsdUtilsModifyAssetPaths. Pure functions.

// The use of an asset path.
enum class DependencyType : uint8_t {
  kSublayer,
  kReference,
  kPayload,
  kClip,          // a clip layer or a clip manifest
  kClipTemplate,  // a pattern with '#', not a path
  kValue,         // the value of an attribute or of metadata
};

// Which arcs count as dependencies.
enum class DependencyScope : uint8_t {
  kUsed,   // those that a layer adds
  kNamed,  // also those that it only deletes or reorders
};

// Calls visit(use, authored path) for every nonempty asset path of the layer, in spec order. Visits
// all variants and time samples. The identifier in the assetInfo of a prim is not a dependency: it
// names the asset that the prim is.
void VisitDependencies(const Layer& layer, DependencyScope scope,
                       const std::function<void(DependencyType, const std::string&)>& visit);

// The value of a field with each asset path in it replaced by rewrite(use, path).
Value ModifyAssetPathsInValue(
    Token field, const Value& value,
    const std::function<std::string(DependencyType, const std::string&)>& rewrite);

// A copy of the layer with each nonempty asset path replaced by rewrite(use, path).
LayerBuilder ModifyAssetPaths(
    const Layer& layer,
    const std::function<std::string(DependencyType, const std::string&)>& rewrite);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_ASSET_DEPENDENCIES_H_
