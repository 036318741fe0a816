#ifndef STAGEDOOR_RESOLVER_DISPATCHING_RESOLVER_H_
#define STAGEDOOR_RESOLVER_DISPATCHING_RESOLVER_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resolver/asset_path.h"
#include "resolver/resolver.h"

namespace stagedoor {

// Chooses a backend by URI scheme ("http" for "http://host/a.usd"; schemes are compared in lower
// case), as OpenUSD's ArGetResolver() does with the primary and the URI resolvers (Core
// Specification 9.5, Resolving Identifiers to Locations). Paths without a scheme go to the default
// backend; a relative path written in a layer that has a scheme is anchored by that layer's
// backend. Immutable and thread-safe. An unknown scheme is NOT_FOUND.
//
// A layer that has a scheme comes from another machine, and must not name files of this one, unless
// that is allowed: the identifier of an absolute path without a scheme in such a layer has the
// scheme kForeignFileScheme, which is PERMISSION_DENIED.
class DispatchingResolver final : public Resolver {
 public:
  using Backends = std::map<std::string, std::shared_ptr<const Resolver>, std::less<>>;

  DispatchingResolver(std::shared_ptr<const Resolver> default_backend, Backends by_scheme,
                      bool remote_layers_may_name_files = false)
      : default_(std::move(default_backend)),
        by_scheme_(std::move(by_scheme)),
        remote_layers_may_name_files_(remote_layers_may_name_files) {}

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
  absl::StatusOr<const Resolver*> BackendOf(std::string_view path) const;

  const std::shared_ptr<const Resolver> default_;
  const Backends by_scheme_;
  const bool remote_layers_may_name_files_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_DISPATCHING_RESOLVER_H_
