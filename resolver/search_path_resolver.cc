#include "resolver/search_path_resolver.h"

#include "base/strings.h"
#include "resolver/asset_path.h"

namespace stagedoor {

std::string SearchPathResolver::CreateIdentifier(RequestContext& context,
                                                 std::string_view asset_path,
                                                 std::string_view anchor) const {
  return base_->CreateIdentifier(context, asset_path, anchor);
}

absl::StatusOr<std::string> SearchPathResolver::Resolve(RequestContext& context,
                                                        std::string_view identifier) const {
  absl::StatusOr<std::string> found = base_->Resolve(context, identifier);
  if (found.ok() || !IsSearchAssetPath(identifier)) return found;
  for (const std::string& directory : search_paths_) {
    auto resolved = base_->Resolve(context, NormalizeAssetPath(Concat(directory, "/", identifier)));
    if (resolved.ok()) return resolved;
    // NOT_FOUND leads on to the next directory; any other failure must be reported unless a later
    // directory has the asset.
    if (resolved.status().code() != absl::StatusCode::kNotFound) found = resolved;
  }
  return found;
}

absl::StatusOr<std::shared_ptr<const Asset>> SearchPathResolver::OpenAsset(
    RequestContext& context, std::string_view resolved_path) const {
  return base_->OpenAsset(context, resolved_path);
}

absl::StatusOr<AssetVersion> SearchPathResolver::GetVersion(RequestContext& context,
                                                            std::string_view resolved_path) const {
  return base_->GetVersion(context, resolved_path);
}

}  // namespace stagedoor
