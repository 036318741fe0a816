#ifndef STAGEDOOR_RESOLVER_SEARCH_PATH_RESOLVER_H_
#define STAGEDOOR_RESOLVER_SEARCH_PATH_RESOLVER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "resolver/resolver.h"

namespace stagedoor {

// Looks for assets that `base` does not find in a list of directories, in order, as OpenUSD's
// ArDefaultResolver does with its search path (Core Specification 9.4.2, Non-Anchored Relative
// Identifiers). Immutable, thread-safe and cheap: each stage may have its own over a shared base.
// Wrap it around the package resolver, so that "lib.usdz[a.usd]" is searched for too.
class SearchPathResolver final : public Resolver {
 public:
  // `search_paths` are absolute directories (or URIs).
  SearchPathResolver(std::shared_ptr<const Resolver> base, std::vector<std::string> search_paths)
      : base_(std::move(base)), search_paths_(std::move(search_paths)) {}

  std::string CreateIdentifier(RequestContext& context, std::string_view asset_path,
                               std::string_view anchor) const override;
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      std::string_view identifier) const override;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, std::string_view resolved_path) const override;
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          std::string_view resolved_path) const override;

 private:
  const std::shared_ptr<const Resolver> base_;
  const std::vector<std::string> search_paths_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_SEARCH_PATH_RESOLVER_H_
