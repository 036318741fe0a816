#ifndef STAGEDOOR_RESOLVER_SCOPED_RESOLVER_H_
#define STAGEDOOR_RESOLVER_SCOPED_RESOLVER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resolver/resolver.h"

namespace stagedoor {

// Hides the assets of `base` that are not in the AccessScope of the resolver context: they are
// NOT_FOUND, decided by their names alone, so that a client cannot find out whether they exist.
// Links of files are the business of FileResolver. Wrap it in the package resolver, which asks for
// packages by their own paths. Immutable and thread-safe.
class ScopedResolver final : public Resolver {
 public:
  explicit ScopedResolver(std::shared_ptr<const Resolver> base) : base_(std::move(base)) {}

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
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_SCOPED_RESOLVER_H_
