#include "scene/stage/asset_paths.h"

#include <algorithm>
#include <vector>

#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"

namespace stagedoor {

bool HoldsAssetPath(const Value& value) {
  // True for arrays too: type() is that of the elements.
  if (value.type() == ValueType::kAssetPath) return true;
  const Dictionary* dictionary = value.Get<Dictionary>();
  return dictionary && std::any_of(dictionary->begin(), dictionary->end(),
                                   [](const auto& e) { return HoldsAssetPath(e.second); });
}

Value ResolveAssetPaths(const Value& value,
                        const std::function<AssetPath(const std::string&)>& resolve) {
  if (const auto* one = value.Get<AssetPath>()) return Value(resolve(one->authored));
  if (const auto* many = value.Get<Array<AssetPath>>()) {
    std::vector<AssetPath> out;
    out.reserve(many->size());
    for (const AssetPath& path : *many) out.push_back(resolve(path.authored));
    return Value(Array<AssetPath>::FromVector(std::move(out)));
  }
  if (const auto* dictionary = value.Get<Dictionary>(); dictionary && HoldsAssetPath(value)) {
    Dictionary out = *dictionary;
    for (const auto& [key, held] : *dictionary) {
      if (HoldsAssetPath(held)) out.Set(key, ResolveAssetPaths(held, resolve));
    }
    return Value(std::move(out));
  }
  return value;
}

}  // namespace stagedoor
