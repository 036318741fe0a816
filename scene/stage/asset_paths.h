// Evaluation and resolution of asset paths wherever they stand in a value.
#ifndef STAGEDOOR_SCENE_STAGE_ASSET_PATHS_H_
#define STAGEDOOR_SCENE_STAGE_ASSET_PATHS_H_

#include <functional>
#include <string>

#include "scene/values/value.h"

namespace stagedoor {

bool HoldsAssetPath(const Value& value);

// `value` with every asset path (in arrays and dictionaries too) replaced by resolve(authored).
Value ResolveAssetPaths(const Value& value,
                        const std::function<AssetPath(const std::string& authored)>& resolve);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_ASSET_PATHS_H_
