#ifndef STAGEDOOR_RESOLVER_MAPPING_RESOLVER_H_
#define STAGEDOOR_RESOLVER_MAPPING_RESOLVER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resolver/path_map.h"
#include "resolver/resolver.h"

namespace stagedoor {

// Maps paths of other machines before `base` sees them: those that layers author, and those that
// clients name. It stands above the resolvers that decide what may be read, which therefore judge
// the mapped path, and below ContextResolver, so that pins may name either. Resolved paths are
// never mapped. Immutable and thread-safe.
class MappingResolver final : public Resolver {
 public:
  MappingResolver(std::shared_ptr<const Resolver> base, PathMap map)
      : base_(std::move(base)), map_(std::move(map)) {}

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
  const std::shared_ptr<const Resolver> base_;
  const PathMap map_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_MAPPING_RESOLVER_H_
