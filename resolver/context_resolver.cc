#include "resolver/context_resolver.h"

#include <optional>

#include "base/status_macros.h"
#include "base/strings.h"
#include "resolver/asset_path.h"
#include "resolver/versions_by_group.h"

namespace stagedoor {
namespace {

// The path that replaces `path` or the package that contains it.
std::optional<std::string> Pinned(const ResolverContext& context, const std::string& path) {
  if (const std::string* pin = context.FindPin(path)) return *pin;
  if (!IsPackageRelativePath(path)) return std::nullopt;
  const auto [package, inside] = SplitPackageRelativePathOuter(path);
  const std::string* pin = context.FindPin(package);
  return pin ? std::optional(JoinPackageRelativePath(*pin, inside)) : std::nullopt;
}

}  // namespace

std::string ContextResolver::CreateIdentifier(RequestContext& context,
                                              const ResolverContext& resolver_context,
                                              std::string_view asset_path,
                                              std::string_view anchor) const {
  if (resolver_context.empty()) {
    return base_->CreateIdentifier(context, resolver_context, asset_path, anchor);
  }
  const auto [file, inside] = SplitPackageRelativePathOuter(asset_path);
  const bool search = IsSearchAssetPath(file);
  // A pin of the path as it is authored is stronger than a file beside the layer.
  if (search && Pinned(resolver_context, NormalizeAssetPath(file))) {
    return JoinPackageRelativePath(NormalizeAssetPath(file), inside);
  }
  const bool in_package = IsPackageRelativePath(anchor);
  if (!in_package && resolver_context.FindLayer(anchor) != nullptr) {
    // The base may not know the layer, nor the scheme of its name.
    return JoinPackageRelativePath(
        CreateDefaultIdentifier(*this, context, resolver_context, file, anchor), inside);
  }
  std::string identifier = base_->CreateIdentifier(context, resolver_context, asset_path, anchor);
  const std::string beside(in_package ? SplitPackageRelativePathOuter(anchor).first : anchor);
  if (!search || !IsSearchAssetPath(identifier) || !IsAbsoluteAssetPath(beside)) return identifier;
  // The base found nothing beside the layer, but does not know the context.
  const std::string anchored = AnchorAssetPath(file, beside);
  const bool exists =
      Pinned(resolver_context, anchored) || resolver_context.FindLayer(anchored) != nullptr;
  return exists ? JoinPackageRelativePath(anchored, inside) : identifier;
}

absl::StatusOr<std::string> ContextResolver::Find(RequestContext& context,
                                                  const ResolverContext& resolver_context,
                                                  const std::string& path, bool pins) const {
  if (resolver_context.empty()) return base_->Resolve(context, resolver_context, path);
  if (pins) {
    if (const auto pin = Pinned(resolver_context, path)) {
      return Search(context, resolver_context, *pin, /*pins=*/false);
    }
  }
  if (resolver_context.FindLayer(path) != nullptr) return path;
  SD_ASSIGN_OR_RETURN(std::string resolved, base_->Resolve(context, resolver_context, path));
  if (!pins || resolved == path) return resolved;
  const auto pin = Pinned(resolver_context, resolved);
  if (!pin) return resolved;
  return Search(context, resolver_context, *pin, /*pins=*/false);
}

absl::StatusOr<std::string> ContextResolver::Search(RequestContext& context,
                                                    const ResolverContext& resolver_context,
                                                    const std::string& path, bool pins) const {
  absl::StatusOr<std::string> found = Find(context, resolver_context, path, pins);
  if (found.ok() || !IsSearchAssetPath(path)) return found;
  // NOT_FOUND leads on to the next directory; any other failure must be reported unless a later
  // directory has the asset.
  const auto find_in = [&](const std::string& directory) {
    auto resolved =
        Find(context, resolver_context, NormalizeAssetPath(Concat(directory, "/", path)), pins);
    if (resolved.ok() || resolved.status().code() != absl::StatusCode::kNotFound) {
      found = std::move(resolved);
    }
    return found.ok();
  };
  for (const std::string& directory : resolver_context.search_paths()) {
    if (find_in(directory)) return found;
  }
  for (const std::string& directory : search_paths_) {
    if (find_in(directory)) return found;
  }
  return found;
}

absl::StatusOr<std::string> ContextResolver::Resolve(RequestContext& context,
                                                     const ResolverContext& resolver_context,
                                                     std::string_view identifier) const {
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(CheckAssetPath(identifier));
  return Search(context, resolver_context, std::string(identifier), /*pins=*/true);
}

absl::StatusOr<std::shared_ptr<const Asset>> ContextResolver::OpenAsset(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  if (auto layer = resolver_context.FindLayer(resolved_path)) {
    SD_RETURN_IF_ERROR(context.Check());
    return layer;
  }
  return base_->OpenAsset(context, resolver_context, resolved_path);
}

absl::StatusOr<AssetVersion> ContextResolver::GetVersion(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view resolved_path) const {
  if (const auto layer = resolver_context.FindLayer(resolved_path)) return layer->version();
  return base_->GetVersion(context, resolver_context, resolved_path);
}

std::vector<absl::StatusOr<AssetVersion>> ContextResolver::GetVersions(
    RequestContext& context, const ResolverContext& resolver_context,
    std::span<const std::string> resolved_paths) const {
  if (resolver_context.layer_names().empty()) {
    return base_->GetVersions(context, resolver_context, resolved_paths);
  }
  VersionsByGroup<bool> versions(resolved_paths, [&](const std::string& path) {
    return resolver_context.FindLayer(path) != nullptr;
  });
  return versions.Collect([&](bool sent, std::span<const std::string> paths) {
    return sent ? Resolver::GetVersions(context, resolver_context, paths)
                : base_->GetVersions(context, resolver_context, paths);
  });
}

}  // namespace stagedoor
