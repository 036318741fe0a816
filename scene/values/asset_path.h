#ifndef STAGEDOOR_SCENE_VALUES_ASSET_PATH_H_
#define STAGEDOOR_SCENE_VALUES_ASSET_PATH_H_

#include <string>

namespace stagedoor {

// The address of an asset. Layers set `authored` only; value resolution sets the rest. Corresponds
// to OpenUSD's SdfAssetPath.
struct AssetPath {
  std::string authored;
  std::string evaluated;  // the result if `authored` is a variable expression
  std::string resolved;   // the resolver's result, anchored to the layer of the opinion
  friend bool operator==(const AssetPath&, const AssetPath&) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ASSET_PATH_H_
