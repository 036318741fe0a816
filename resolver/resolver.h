#ifndef STAGEDOOR_RESOLVER_RESOLVER_H_
#define STAGEDOOR_RESOLVER_RESOLVER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/asset.h"
#include "resolver/resolver_context.h"

namespace stagedoor {

// Locates and opens assets. Corresponds to OpenUSD's ArResolver; implements chapter 9 of the Core
// Specification, Resource Interface. An authored asset path ("./tree.usd") becomes an asset in
// three steps: asset path -> identifier (the same for the same asset, in whatever layer the path is
// written) -> resolved path (where the asset is now) -> asset. Implemented by backends and by
// decorators (contexts, packages, caching, dispatch).
//
// Every call is given the ResolverContext of the stage it works for, where OpenUSD binds an
// ArResolverContext to the thread. Decorators pass it on. ContextResolver, the outermost of them,
// applies pins, in-memory layers and search paths, so a backend need not look at it; a backend that
// does must keep its results apart by the context's fingerprint.
//
// Thread-safe. All calls may block on I/O, CreateIdentifier to see what exists: call them on the
// executor. Errors name the path: NOT_FOUND, PERMISSION_DENIED (outside the directories that the
// daemon may read), INVALID_ARGUMENT (not a possible path), UNAVAILABLE, DATA_LOSS,
// RESOURCE_EXHAUSTED, and those of the context.
class Resolver {
 public:
  virtual ~Resolver() = default;

  // The identifier of `asset_path` as written in the layer whose resolved path is `anchor` (empty
  // if it is not in a layer). "./x" and "../x" are relative to the directory of the anchor.
  // Absolute paths stay. Other paths ("search paths") are relative to it only if such an asset
  // exists; otherwise they stay, and Resolve searches for them. May look for files. Empty for an
  // empty path.
  virtual std::string CreateIdentifier(RequestContext& context,
                                       const ResolverContext& resolver_context,
                                       std::string_view asset_path,
                                       std::string_view anchor) const = 0;

  // The current location of the asset. NOT_FOUND if there is none.
  virtual absl::StatusOr<std::string> Resolve(RequestContext& context,
                                              const ResolverContext& resolver_context,
                                              std::string_view identifier) const = 0;

  // Opens the asset at a path that Resolve returned, at its current version.
  virtual absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, const ResolverContext& resolver_context,
      std::string_view resolved_path) const = 0;

  // The version that OpenAsset would open now. Never cached, so that a refresh sees changes.
  virtual absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                                  const ResolverContext& resolver_context,
                                                  std::string_view resolved_path) const = 0;

  // GetVersion for many assets, in the order of `resolved_paths`. Backends that have to ask another
  // machine ask it for all of them at once.
  virtual std::vector<absl::StatusOr<AssetVersion>> GetVersions(
      RequestContext& context, const ResolverContext& resolver_context,
      std::span<const std::string> resolved_paths) const;
};

// Implements CreateIdentifier as OpenUSD's ArDefaultResolver does, using `resolver` to see what
// exists.
std::string CreateDefaultIdentifier(const Resolver& resolver, RequestContext& context,
                                    const ResolverContext& resolver_context,
                                    std::string_view asset_path, std::string_view anchor);

// INVALID_ARGUMENT for paths that no backend supports: empty, longer than 16 KiB, or with a NUL
// character.
absl::Status CheckAssetPath(std::string_view path);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_RESOLVER_H_
