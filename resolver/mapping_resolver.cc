#include "resolver/mapping_resolver.h"

#include "base/status.h"
#include "base/windows_path.h"

namespace stagedoor {

std::string MappingResolver::CreateIdentifier(RequestContext& context,
                                              const ResolverContext& resolver_context,
                                              std::string_view asset_path,
                                              std::string_view anchor) const {
  return base_->CreateIdentifier(context, resolver_context, map_.Apply(asset_path), anchor);
}

absl::StatusOr<std::string> MappingResolver::Resolve(RequestContext& context,
                                                     const ResolverContext& resolver_context,
                                                     std::string_view identifier) const {
  const std::string mapped = map_.Apply(identifier);
  absl::StatusOr<std::string> resolved = base_->Resolve(context, resolver_context, mapped);
  if (resolved.ok() || !absl::IsNotFound(resolved.status()) || !IsWindowsPath(mapped)) {
    return resolved;
  }
  return NotFoundError(Quoted(identifier),
                       " is a path of Windows; the daemon needs --map-path, as in "
                       "--map-path=Z:/show=/show, to find it");
}

absl::StatusOr<std::shared_ptr<const Asset>> MappingResolver::OpenAsset(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  return base_->OpenAsset(context, resolver_context, resolved_path);
}

absl::StatusOr<AssetVersion> MappingResolver::GetVersion(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view resolved_path) const {
  return base_->GetVersion(context, resolver_context, resolved_path);
}

std::vector<absl::StatusOr<AssetVersion>> MappingResolver::GetVersions(
    RequestContext& context, const ResolverContext& resolver_context,
    std::span<const std::string> resolved_paths) const {
  return base_->GetVersions(context, resolver_context, resolved_paths);
}

}  // namespace stagedoor
