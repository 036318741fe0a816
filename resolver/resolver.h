#ifndef STAGEDOOR_RESOLVER_RESOLVER_H_
#define STAGEDOOR_RESOLVER_RESOLVER_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/asset.h"

namespace stagedoor {

// Turns what a layer says ("./tree.usd") into bytes, in three steps: authored asset path ->
// identifier (the same asset has the same one, wherever it is written) -> resolved path (where it
// is now) -> asset. Backends and decorators (search paths, packages, caching, dispatch) implement
// it.
//
// Thread-safe. Any call but the first may block on I/O: call on the executor. Errors name the path:
// NOT_FOUND, PERMISSION_DENIED (outside what the daemon may read), INVALID_ARGUMENT (no possible
// path), UNAVAILABLE, DATA_LOSS, RESOURCE_EXHAUSTED, and the context's own.
class Resolver {
 public:
  virtual ~Resolver() = default;

  // The identifier of `asset_path` as written in the layer whose resolved path is `anchor` (empty:
  // nowhere). "./x" and "../x" are relative to the anchor's directory; absolute paths stay; others
  // ("search paths") are relative to it only if that exists, else they stay and Resolve searches.
  // May look for files. Empty for an empty path.
  virtual std::string CreateIdentifier(RequestContext& context, std::string_view asset_path,
                                       std::string_view anchor) const = 0;

  // Where the asset is. NOT_FOUND if it is nowhere.
  virtual absl::StatusOr<std::string> Resolve(RequestContext& context,
                                              std::string_view identifier) const = 0;

  // Opens what Resolve returned, pinned to its present version.
  virtual absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, std::string_view resolved_path) const = 0;

  // The version OpenAsset would give now; never cached, so that a refresh sees changes.
  virtual absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                                  std::string_view resolved_path) const = 0;
};

// CreateIdentifier as OpenUSD's default resolver does it, with `resolver` to see what exists.
std::string CreateDefaultIdentifier(const Resolver& resolver, RequestContext& context,
                                    std::string_view asset_path, std::string_view anchor);

// INVALID_ARGUMENT for paths that no backend can have: empty, over 16 KiB, with a NUL.
absl::Status CheckAssetPath(std::string_view path);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_RESOLVER_H_
