#ifndef STAGEDOOR_SCENE_STAGE_ASSET_PATHS_H_
#define STAGEDOOR_SCENE_STAGE_ASSET_PATHS_H_

#include <functional>
#include <string>

#include "scene/values/asset_path.h"
#include "scene/values/value.h"

namespace stagedoor {

// Finds and rewrites asset paths anywhere in a value: scalars, arrays and dictionaries.

// Looks into nested dictionaries too.
bool HoldsAssetPath(const Value& value);

// Returns `value` with every asset path in it replaced by resolve(authored).
Value ResolveAssetPaths(const Value& value,
                        const std::function<AssetPath(const std::string& authored)>& resolve);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_ASSET_PATHS_H_
