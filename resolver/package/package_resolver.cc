#include "resolver/package/package_resolver.h"

#include <map>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "resolver/fail_if_outage.h"

namespace stagedoor {
namespace {

LruCacheOptions CacheOptions(const PackageResolverOptions& options) {
  LruCacheOptions out;
  out.max_entries = options.max_open_packages;
  out.max_bytes = options.max_directory_bytes;
  out.shards = 4;
  return out;
}

bool HasPackageExtension(std::string_view path) { return AssetExtension(path) == "usdz"; }

std::string OutermostPackage(std::string_view path) {
  return SplitPackageRelativePathOuter(path).first;
}

}  // namespace

PackageResolver::PackageResolver(std::shared_ptr<const Resolver> base,
                                 PackageResolverOptions options)
    : base_(std::move(base)), options_(options), packages_(CacheOptions(options_)) {}

absl::StatusOr<PackageResolver::Packages::Pointer> PackageResolver::Open(
    RequestContext& context, const ResolverContext& resolver_context, const std::string& path,
    int depth, const AssetVersion* version) const {
  if (!HasPackageExtension(path)) return NotFoundError(Quoted(path), " is not a usdz package");
  if (version == nullptr) {
    const absl::StatusOr<AssetVersion> current =
        base_->GetVersion(context, resolver_context, OutermostPackage(path));
    if (!current.ok()) return FailIfOutage(context, current.status());
    return Open(context, resolver_context, path, depth, &*current);
  }
  // A changed package has another version and therefore another key; the old entry is evicted in
  // time.
  const std::string key = Concat(path, '\0', version->token());
  return packages_.GetOrLoad(context, key, [&]() -> absl::StatusOr<Packages::Loaded> {
    SD_ASSIGN_OR_RETURN(auto asset, OpenPath(context, resolver_context, path, depth, version));
    SD_ASSIGN_OR_RETURN(ZipArchive archive, ZipArchive::Read(context, *asset));
    if (options_.require_conforming) {
      SD_RETURN_IF_ERROR(
          Annotate(archive.CheckConformance(), Concat("package ", Quoted(asset->name()))));
    }
    const size_t bytes = archive.memory_bytes();
    auto shared = std::make_shared<const ZipArchive>(std::move(archive));
    return Packages::Loaded{
        std::make_shared<const Package>(Package{std::move(asset), std::move(shared)}), bytes};
  });
}

absl::StatusOr<std::shared_ptr<const Asset>> PackageResolver::OpenPath(
    RequestContext& context, const ResolverContext& resolver_context, const std::string& path,
    int depth, const AssetVersion* version) const {
  const auto [package_path, name] = SplitPackageRelativePathInner(path);
  if (name.empty()) return base_->OpenAsset(context, resolver_context, package_path);
  if (depth >= options_.max_depth) {
    return InvalidArgumentError("packages are nested too deeply: ", Quoted(path));
  }
  SD_ASSIGN_OR_RETURN(const auto package,
                      Open(context, resolver_context, package_path, depth + 1, version));
  const ZipEntry* entry = package->archive->Find(name);
  if (entry == nullptr) return NotFoundError("file not found: ", Quoted(path));
  return OpenEntry(package->asset, *entry, path);
}

absl::Status PackageResolver::CheckExists(RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          const std::string& path) const {
  const auto [package_path, name] = SplitPackageRelativePathInner(path);
  SD_ASSIGN_OR_RETURN(const auto package, Open(context, resolver_context, package_path, 0));
  if (package->archive->Find(name) == nullptr)
    return NotFoundError("file not found: ", Quoted(path));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const ZipArchive>> PackageResolver::OpenArchive(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  SD_RETURN_IF_ERROR(CheckAssetPath(resolved_path));
  SD_ASSIGN_OR_RETURN(const auto package,
                      Open(context, resolver_context, std::string(resolved_path), 0));
  return package->archive;
}

absl::StatusOr<std::string> PackageResolver::FindRootLayer(RequestContext& context,
                                                           const ResolverContext& resolver_context,
                                                           std::string_view resolved_path) const {
  SD_RETURN_IF_ERROR(CheckAssetPath(resolved_path));
  std::string path(resolved_path);
  for (int depth = 0; HasPackageExtension(path); ++depth) {
    if (depth > options_.max_depth) {
      return InvalidArgumentError("packages are nested too deeply: ", Quoted(resolved_path));
    }
    SD_ASSIGN_OR_RETURN(const auto package, Open(context, resolver_context, path, 0));
    const std::string& first = package->archive->entries().front().name;
    if (first.empty())
      return InvalidArgumentError("the first file of ", Quoted(path), " has no name");
    path = JoinPackageRelativePath(path, first);
  }
  return path;
}

std::string PackageResolver::IdentifyInside(RequestContext& context,
                                            const ResolverContext& resolver_context,
                                            const std::string& file, const std::string& inside,
                                            std::string_view anchor) const {
  const auto layer = FindRootLayer(context, resolver_context, anchor);
  if (!layer.ok() || !IsPackageRelativePath(*layer)) return {};
  const auto [package, name] = SplitPackageRelativePathInner(*layer);
  const auto in_directory_of = [&, package = package](std::string_view sibling) {
    const std::string_view directory = AssetDirectory(sibling);
    const std::string path = directory.empty() ? file : Concat(directory, "/", file);
    return JoinPackageRelativePath(JoinPackageRelativePath(package, NormalizeAssetPath(path)),
                                   inside);
  };
  std::string path = in_directory_of(name);
  if (IsFileRelativeAssetPath(file) || Resolve(context, resolver_context, path).ok()) return path;
  const auto archive = OpenArchive(context, resolver_context, package);
  if (!archive.ok()) return {};
  path = in_directory_of((*archive)->entries().front().name);
  return Resolve(context, resolver_context, path).ok() ? path : std::string();
}

std::string PackageResolver::CreateIdentifier(RequestContext& context,
                                              const ResolverContext& resolver_context,
                                              std::string_view asset_path,
                                              std::string_view anchor) const {
  if (!CheckAssetPath(asset_path).ok()) return std::string(asset_path);
  const auto [file, inside] = SplitPackageRelativePathOuter(asset_path);
  const bool in_package = IsPackageRelativePath(anchor) || HasPackageExtension(anchor);
  if (in_package && !IsAbsoluteAssetPath(file)) {
    std::string path = IdentifyInside(context, resolver_context, file, inside, anchor);
    if (!path.empty()) return path;
  }
  const std::string from = OutermostPackage(anchor);
  return JoinPackageRelativePath(base_->CreateIdentifier(context, resolver_context, file, from),
                                 inside);
}

absl::StatusOr<std::string> PackageResolver::Resolve(RequestContext& context,
                                                     const ResolverContext& resolver_context,
                                                     std::string_view identifier) const {
  SD_RETURN_IF_ERROR(CheckAssetPath(identifier));
  const auto [file, inside] = SplitPackageRelativePathOuter(identifier);
  SD_ASSIGN_OR_RETURN(std::string resolved, base_->Resolve(context, resolver_context, file));
  if (inside.empty()) return resolved;
  std::string path = JoinPackageRelativePath(resolved, inside);
  SD_RETURN_IF_ERROR(CheckExists(context, resolver_context, path));
  return path;
}

absl::StatusOr<std::shared_ptr<const Asset>> PackageResolver::OpenAsset(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  SD_RETURN_IF_ERROR(CheckAssetPath(resolved_path));
  return OpenPath(context, resolver_context, std::string(resolved_path), 0);
}

absl::StatusOr<AssetVersion> PackageResolver::GetVersion(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view resolved_path) const {
  SD_RETURN_IF_ERROR(CheckAssetPath(resolved_path));
  const std::string path(resolved_path);
  if (!IsPackageRelativePath(path)) return base_->GetVersion(context, resolver_context, path);
  SD_ASSIGN_OR_RETURN(const auto asset, OpenPath(context, resolver_context, path, 0));
  return asset->version();
}

// The version of a file in a package follows from that of the outermost package, so each package is
// asked for once, all of them together.
std::vector<absl::StatusOr<AssetVersion>> PackageResolver::GetVersions(
    RequestContext& context, const ResolverContext& resolver_context,
    std::span<const std::string> resolved_paths) const {
  std::vector<std::string> files;
  std::map<std::string, size_t> places;  // in `files`
  for (const std::string& path : resolved_paths) {
    const auto [place, added] = places.emplace(OutermostPackage(path), files.size());
    if (added) files.push_back(place->first);
  }
  const auto versions = base_->GetVersions(context, resolver_context, files);
  std::vector<absl::StatusOr<AssetVersion>> result;
  result.reserve(resolved_paths.size());
  for (const std::string& path : resolved_paths) {
    const absl::StatusOr<AssetVersion>& version = versions[places.at(OutermostPackage(path))];
    if (!version.ok() || !IsPackageRelativePath(path)) {
      result.push_back(version);
      continue;
    }
    const auto asset = OpenPath(context, resolver_context, path, 0, &*version);
    if (asset.ok()) {
      result.push_back((*asset)->version());
    } else {
      result.push_back(asset.status());
    }
  }
  return result;
}

}  // namespace stagedoor
