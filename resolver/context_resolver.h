#ifndef STAGEDOOR_RESOLVER_CONTEXT_RESOLVER_H_
#define STAGEDOOR_RESOLVER_CONTEXT_RESOLVER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resolver/resolver.h"

namespace stagedoor {

// Applies a ResolverContext, and search paths of its own, to the assets of `base`. With
// FileResolver, corresponds to OpenUSD's ArDefaultResolver (Core Specification 9.4.2, Non-Anchored
// Relative Identifiers). Resolves an identifier in this order:
//
// 1. A pin of the identifier, or of the package that contains it, gives the path to resolve
//    instead, to which no further pin applies.
// 2. A layer of the context that has this name.
// 3. The asset of `base`. If the resolved path is pinned, the pin decides, as in 1.
// 4. For search paths, 1 to 3 for the path in each of the directories: those of the context, then
//    those of this resolver.
//
// Immutable and thread-safe. Costs nothing for calls with the empty context. Wrap it around the
// package resolver, so that "lib.usdz[a.usd]" is searched for too.
class ContextResolver final : public Resolver {
 public:
  // `search_paths` are absolute directories (or URIs).
  explicit ContextResolver(std::shared_ptr<const Resolver> base,
                           std::vector<std::string> search_paths = {})
      : base_(std::move(base)), search_paths_(std::move(search_paths)) {}

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
  // Resolves a path without search paths. `pins` is false for a path that a pin has given.
  absl::StatusOr<std::string> Find(RequestContext& context, const ResolverContext& resolver_context,
                                   const std::string& path, bool pins) const;
  absl::StatusOr<std::string> Search(RequestContext& context,
                                     const ResolverContext& resolver_context,
                                     const std::string& path, bool pins) const;

  const std::shared_ptr<const Resolver> base_;
  const std::vector<std::string> search_paths_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_CONTEXT_RESOLVER_H_
