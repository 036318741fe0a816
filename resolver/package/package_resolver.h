#ifndef STAGEDOOR_RESOLVER_PACKAGE_PACKAGE_RESOLVER_H_
#define STAGEDOOR_RESOLVER_PACKAGE_PACKAGE_RESOLVER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/lru_cache.h"
#include "resolver/package/zip_archive.h"
#include "resolver/resolver.h"

namespace stagedoor {

struct PackageResolverOptions {
  size_t max_open_packages = 256;                 // kept open for further look-ups
  size_t max_directory_bytes = size_t{64} << 20;  // total size of their lists of files
  int max_depth = 8;                              // of packages in packages
  bool require_conforming = false;                // reject packages that violate the specification
};

// Adds files inside usdz packages to `base`: "/a.usdz[b.usd]", nested "/a.usdz[b.usdz[c.usd]]"
// (Core Specification 9.7, Packaged Resources). Plays the role of OpenUSD's ArPackageResolver and
// Usd_UsdzResolver.
//
// In a layer of a package (or in the package itself, which stands for its first file) "./x" means
// the file beside that layer in the package, never one outside. "x" means the file beside the
// layer; if there is none, the file at the package's root; if there is none either, what `base`
// makes of it beside the outermost package.
//
// Thread-safe. Assets are views that keep the package open. Errors are those of Resolver, and
// INVALID_ARGUMENT with a short reason for a file that is not a package and for compressed or
// encrypted files.
class PackageResolver final : public Resolver {
 public:
  explicit PackageResolver(std::shared_ptr<const Resolver> base,
                           PackageResolverOptions options = {});

  // The package's list of files, in order. `resolved_path` is the path of the package itself.
  absl::StatusOr<std::shared_ptr<const ZipArchive>> OpenArchive(
      RequestContext& context, const ResolverContext& resolver_context,
      std::string_view resolved_path) const;

  // The path of the first file of a package: "/a.usdz[root.usda]" for "/a.usdz". Enters nested
  // packages.
  absl::StatusOr<std::string> FindRootLayer(RequestContext& context,
                                            const ResolverContext& resolver_context,
                                            std::string_view resolved_path) const;

  std::string CreateIdentifier(RequestContext& context, const ResolverContext& resolver_context,
                               std::string_view asset_path, std::string_view anchor) const override;
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      const ResolverContext& resolver_context,
                                      std::string_view identifier) const override;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, const ResolverContext& resolver_context,
      std::string_view resolved_path) const override;
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          std::string_view resolved_path) const override;
  std::vector<absl::StatusOr<AssetVersion>> GetVersions(
      RequestContext& context, const ResolverContext& resolver_context,
      std::span<const std::string> resolved_paths) const override;

 private:
  struct Package {
    std::shared_ptr<const Asset> asset;
    std::shared_ptr<const ZipArchive> archive;
  };
  using Packages = LruCache<std::string, Package>;

  // `path` is that of a package, in `base` or inside another package. `version` is the current one
  // of the outermost package, or null if the caller does not know it.
  absl::StatusOr<Packages::Pointer> Open(RequestContext& context,
                                         const ResolverContext& resolver_context,
                                         const std::string& path, int depth,
                                         const AssetVersion* version = nullptr) const;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenPath(
      RequestContext& context, const ResolverContext& resolver_context, const std::string& path,
      int depth, const AssetVersion* version = nullptr) const;
  // The identifier of "file[inside]" in the package that contains `anchor`; empty if it is not in
  // that package.
  std::string IdentifyInside(RequestContext& context, const ResolverContext& resolver_context,
                             const std::string& file, const std::string& inside,
                             std::string_view anchor) const;
  absl::Status CheckExists(RequestContext& context, const ResolverContext& resolver_context,
                           const std::string& path) const;

  const std::shared_ptr<const Resolver> base_;
  const PackageResolverOptions options_;
  mutable Packages packages_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PACKAGE_PACKAGE_RESOLVER_H_
