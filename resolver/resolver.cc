#include "resolver/resolver.h"

#include "base/status.h"
#include "resolver/asset_path.h"

namespace stagedoor {

std::string CreateDefaultIdentifier(const Resolver& resolver, RequestContext& context,
                                    const ResolverContext& resolver_context,
                                    std::string_view asset_path, std::string_view anchor) {
  std::string anchored = AnchorAssetPath(asset_path, anchor);
  if (!IsSearchAssetPath(asset_path) || !IsAbsoluteAssetPath(anchor)) return anchored;
  if (resolver.Resolve(context, resolver_context, anchored).ok()) return anchored;
  return NormalizeAssetPath(asset_path);
}

std::vector<absl::StatusOr<AssetVersion>> Resolver::GetVersions(
    RequestContext& context, const ResolverContext& resolver_context,
    std::span<const std::string> resolved_paths) const {
  std::vector<absl::StatusOr<AssetVersion>> versions;
  versions.reserve(resolved_paths.size());
  for (const std::string& path : resolved_paths) {
    versions.push_back(GetVersion(context, resolver_context, path));
  }
  return versions;
}

absl::Status CheckAssetPath(std::string_view path) {
  constexpr size_t kMaxLength = 16 << 10;
  if (path.empty()) return InvalidArgumentError("the asset path is empty");
  if (path.size() > kMaxLength) {
    return InvalidArgumentError("the asset path is longer than 16 KiB: ", Quoted(path, 80));
  }
  if (path.find('\0') != std::string_view::npos) {
    return InvalidArgumentError("the asset path contains a NUL character: ", Quoted(path));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
