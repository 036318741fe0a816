#include "scene/stage/asset_paths.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/rewrite_values.h"

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
  return RewriteValues(value, [&](const Value& held) -> std::optional<Value> {
    if (const auto* one = held.Get<AssetPath>()) return Value(resolve(one->authored));
    const auto* many = held.Get<Array<AssetPath>>();
    if (!many) return std::nullopt;
    std::vector<AssetPath> out;
    out.reserve(many->size());
    for (const AssetPath& path : *many) out.push_back(resolve(path.authored));
    return Value(Array<AssetPath>::FromVector(std::move(out)));
  });
}

}  // namespace stagedoor
