#include "resolver/scoped_resolver.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/access/access_scope.h"
#include "resolver/asset_path.h"
#include "resolver/versions_by_group.h"

namespace stagedoor {
namespace {

bool Includes(const ResolverContext& resolver_context, std::string_view path) {
  const AccessScope* const scope = resolver_context.access();
  return scope == nullptr || scope->IncludesName(path);
}

absl::Status Hidden(std::string_view path) {
  return NotFoundError("asset not found: ", Quoted(path));
}

}  // namespace

std::string ScopedResolver::CreateIdentifier(RequestContext& context,
                                             const ResolverContext& resolver_context,
                                             std::string_view asset_path,
                                             std::string_view anchor) const {
  // The base may look whether the asset exists, or ask a service for its identifier.
  const std::string anchored = AnchorAssetPath(asset_path, anchor);
  if (IsAbsoluteAssetPath(anchored) && !Includes(resolver_context, anchored)) {
    return IsSearchAssetPath(asset_path) ? NormalizeAssetPath(asset_path) : anchored;
  }
  return base_->CreateIdentifier(context, resolver_context, asset_path, anchor);
}

absl::StatusOr<std::string> ScopedResolver::Resolve(RequestContext& context,
                                                    const ResolverContext& resolver_context,
                                                    std::string_view identifier) const {
  if (!Includes(resolver_context, identifier)) return Hidden(identifier);
  SD_ASSIGN_OR_RETURN(std::string resolved, base_->Resolve(context, resolver_context, identifier));
  if (!Includes(resolver_context, resolved)) return Hidden(identifier);
  return resolved;
}

absl::StatusOr<std::shared_ptr<const Asset>> ScopedResolver::OpenAsset(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  if (!Includes(resolver_context, resolved_path)) return Hidden(resolved_path);
  return base_->OpenAsset(context, resolver_context, resolved_path);
}

absl::StatusOr<AssetVersion> ScopedResolver::GetVersion(RequestContext& context,
                                                        const ResolverContext& resolver_context,
                                                        std::string_view resolved_path) const {
  if (!Includes(resolver_context, resolved_path)) return Hidden(resolved_path);
  return base_->GetVersion(context, resolver_context, resolved_path);
}

std::vector<absl::StatusOr<AssetVersion>> ScopedResolver::GetVersions(
    RequestContext& context, const ResolverContext& resolver_context,
    std::span<const std::string> resolved_paths) const {
  if (resolver_context.access() == nullptr) {
    return base_->GetVersions(context, resolver_context, resolved_paths);
  }
  const VersionsByGroup<bool> versions(
      resolved_paths, [&](const std::string& path) { return Includes(resolver_context, path); });
  return versions.Collect([&](bool included, std::span<const std::string> paths) {
    return included ? base_->GetVersions(context, resolver_context, paths)
                    : Resolver::GetVersions(context, resolver_context, paths);
  });
}

}  // namespace stagedoor
