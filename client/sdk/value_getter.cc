#include "client/sdk/value_getter.h"

namespace stagedoor::sdk {
namespace {

AssetPath PathOf(const v1::AssetPath& path) {
  return {path.authored(), path.evaluated(), path.resolved()};
}

}  // namespace

absl::StatusOr<AssetPath> ValueGetter<AssetPath>::Get(const Value& value) {
  if (!value.has_value()) return value.Missing();
  if (!value.message().has_asset_path_value()) return value.WrongType("an asset path");
  return PathOf(value.message().asset_path_value());
}

absl::StatusOr<std::vector<std::string>> ValueGetter<std::vector<std::string>>::Get(
    const Value& value) {
  const v1::StringArray* texts = nullptr;
  if (absl::Status status = value.GetTexts(&texts); !status.ok()) return status;
  return std::vector<std::string>(texts->values().begin(), texts->values().end());
}

absl::StatusOr<std::vector<AssetPath>> ValueGetter<std::vector<AssetPath>>::Get(
    const Value& value) {
  if (!value.has_value()) return value.Missing();
  if (!value.message().has_asset_path_array()) return value.WrongType("an array of asset paths");
  std::vector<AssetPath> paths;
  for (const v1::AssetPath& path : value.message().asset_path_array().values()) {
    paths.push_back(PathOf(path));
  }
  return paths;
}

}  // namespace stagedoor::sdk
