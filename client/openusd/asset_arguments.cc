#include "asset_arguments.h"

#include "usd.h"

namespace stagedoor::openusd {
namespace {

// "pin lib/tree.usd = lib/tree_v2.usd" replaces a path.
constexpr const char* kPin = "pin ";

ArgumentKeys<AssetArguments> MakeKeys() {
  using A = AssetArguments;
  ArgumentKeys<A> keys = ConnectionKeys<A>();
  keys["pin_files"] = ListKey("asset paths of JSON files", &A::pin_files);
  keys["search_paths"] = ListKey("directories or URI prefixes", &A::search_paths);
  return keys;
}

}  // namespace

Result<AssetArguments> ParseAssetArguments(const std::string& text) {
  static const auto* const kKeys = new ArgumentKeys<AssetArguments>(MakeKeys());
  const Result<ArgumentMap> lines = ParseArgumentLines(text);
  if (!lines.ok()) return lines.failure();
  AssetArguments arguments;
  for (const auto& [key, value] : *lines) {
    if (TfStringStartsWith(key, kPin)) {
      arguments.pins[TfStringTrim(key.substr(std::string(kPin).size()))] = value;
    } else if (const auto failure = SetArgument(*kKeys, key, value, &arguments)) {
      return *failure;
    }
  }
  return arguments;
}

}  // namespace stagedoor::openusd
