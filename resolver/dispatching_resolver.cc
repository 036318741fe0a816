#include "resolver/dispatching_resolver.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "resolver/asset_path.h"
#include "resolver/versions_by_group.h"

namespace stagedoor {

absl::StatusOr<const Resolver*> DispatchingResolver::BackendOf(std::string_view path) const {
  const std::string scheme = AsciiLower(UriScheme(path));
  if (scheme.empty()) return default_.get();
  if (scheme == kForeignFileScheme) {
    return PermissionDeniedError("a layer of another machine names the file ",
                                 Quoted(WithoutForeignFileScheme(path)),
                                 "; --allow-remote-files permits that");
  }
  const auto it = by_scheme_.find(scheme);
  if (it == by_scheme_.end()) {
    const bool remote = scheme == "http" || scheme == "https" || scheme == "s3";
    return NotFoundError("no resolver supports the URI scheme of ", Quoted(path),
                         remote ? "; --allow-url permits to read it" : "");
  }
  return it->second.get();
}

std::string DispatchingResolver::CreateIdentifier(RequestContext& context,
                                                  const ResolverContext& resolver_context,
                                                  std::string_view asset_path,
                                                  std::string_view anchor) const {
  const auto backend = BackendOf(UriScheme(asset_path).empty() ? anchor : asset_path);
  if (!backend.ok()) return NormalizeAssetPath(asset_path);
  std::string identifier =
      (*backend)->CreateIdentifier(context, resolver_context, asset_path, anchor);
  const bool foreign = !remote_layers_may_name_files_ && !UriScheme(anchor).empty() &&
                       UriScheme(identifier).empty() && IsAbsoluteAssetPath(identifier);
  return foreign ? Concat(kForeignFileScheme, "://", identifier) : identifier;
}

absl::StatusOr<std::string> DispatchingResolver::Resolve(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view identifier) const {
  SD_ASSIGN_OR_RETURN(const Resolver* backend, BackendOf(identifier));
  return backend->Resolve(context, resolver_context, identifier);
}

absl::StatusOr<std::shared_ptr<const Asset>> DispatchingResolver::OpenAsset(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  SD_ASSIGN_OR_RETURN(const Resolver* backend, BackendOf(resolved_path));
  return backend->OpenAsset(context, resolver_context, resolved_path);
}

absl::StatusOr<AssetVersion> DispatchingResolver::GetVersion(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  SD_ASSIGN_OR_RETURN(const Resolver* backend, BackendOf(resolved_path));
  return backend->GetVersion(context, resolver_context, resolved_path);
}

std::vector<absl::StatusOr<AssetVersion>> DispatchingResolver::GetVersions(
    RequestContext& context, const ResolverContext& resolver_context,
    std::span<const std::string> resolved_paths) const {
  // Null for paths that no backend supports.
  VersionsByGroup<const Resolver*> versions(
      resolved_paths, [&](const std::string& path) { return BackendOf(path).value_or(nullptr); });
  return versions.Collect([&](const Resolver* backend, std::span<const std::string> paths) {
    return backend == nullptr ? Resolver::GetVersions(context, resolver_context, paths)
                              : backend->GetVersions(context, resolver_context, paths);
  });
}

}  // namespace stagedoor
