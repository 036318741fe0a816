#ifndef STAGEDOOR_RESOLVER_PACKAGE_PACKAGE_RESOLVER_H_
#define STAGEDOOR_RESOLVER_PACKAGE_PACKAGE_RESOLVER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/lru_cache.h"
#include "resolver/package/zip_archive.h"
#include "resolver/resolver.h"

namespace stagedoor {

struct PackageResolverOptions {
  size_t max_open_packages = 256;                 // kept open for the next look-up
  size_t max_directory_bytes = size_t{64} << 20;  // of their lists of files
  int max_depth = 8;                              // packages in packages
  bool require_conforming = false;                // refuse packages that break the specification
};

// Adds files inside of usdz packages to `base`: "/a.usdz[b.usd]", nested "/a.usdz[b.usdz[c.usd]]".
//
// In a layer of a package (or in the package itself, which stands for its first file) "./x" means
// the file beside that layer in the package, never one outside; "x" means the file beside the
// layer, else the one at the package's root, else what `base` makes of it beside the outermost
// package.
//
// Thread-safe. Assets are views that keep the package open. Errors as Resolver's; INVALID_ARGUMENT,
// with a short reason, for what is no package, and for compressed or encrypted files.
class PackageResolver final : public Resolver {
 public:
  explicit PackageResolver(std::shared_ptr<const Resolver> base,
                           PackageResolverOptions options = {});

  // The package's list of files, in order; `resolved_path` names the package itself.
  absl::StatusOr<std::shared_ptr<const ZipArchive>> OpenArchive(
      RequestContext& context, std::string_view resolved_path) const;

  // The path of the first file of a package: "/a.usdz" gives "/a.usdz[root.usda]"; nested ones too.
  absl::StatusOr<std::string> RootLayerOf(RequestContext& context,
                                          std::string_view resolved_path) const;

  std::string CreateIdentifier(RequestContext& context, std::string_view asset_path,
                               std::string_view anchor) const override;
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      std::string_view identifier) const override;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, std::string_view resolved_path) const override;
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          std::string_view resolved_path) const override;

 private:
  struct Package {
    std::shared_ptr<const Asset> asset;
    std::shared_ptr<const ZipArchive> archive;
  };
  using Packages = LruCache<std::string, Package>;

  // `path` names a package: one of the base, or one inside of another.
  absl::StatusOr<Packages::Pointer> Open(RequestContext& context, const std::string& path,
                                         int depth) const;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenPath(RequestContext& context,
                                                        const std::string& path, int depth) const;
  // The identifier of "file[inside]" in the package that `anchor` is in; empty if it is not in it.
  std::string IdentifyInside(RequestContext& context, const std::string& file,
                             const std::string& inside, std::string_view anchor) const;
  absl::Status CheckExists(RequestContext& context, const std::string& path) const;

  const std::shared_ptr<const Resolver> base_;
  const PackageResolverOptions options_;
  mutable Packages packages_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PACKAGE_PACKAGE_RESOLVER_H_
