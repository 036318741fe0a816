#ifndef STAGEDOOR_RESOLVER_TESTING_FORWARDING_RESOLVER_H_
#define STAGEDOOR_RESOLVER_TESTING_FORWARDING_RESOLVER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "resolver/resolver.h"

namespace stagedoor {

// Passes each call on to another resolver. Tests derive from it to change or count one of them.
class ForwardingResolver : public Resolver {
 public:
  explicit ForwardingResolver(std::shared_ptr<const Resolver> base) : base_(std::move(base)) {}

  std::string CreateIdentifier(RequestContext& context, const ResolverContext& resolver_context,
                               std::string_view asset_path,
                               std::string_view anchor) const override {
    return base_->CreateIdentifier(context, resolver_context, asset_path, anchor);
  }
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      const ResolverContext& resolver_context,
                                      std::string_view identifier) const override {
    return base_->Resolve(context, resolver_context, identifier);
  }
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, const ResolverContext& resolver_context,
      std::string_view resolved_path) const override {
    return base_->OpenAsset(context, resolver_context, resolved_path);
  }
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          std::string_view resolved_path) const override {
    return base_->GetVersion(context, resolver_context, resolved_path);
  }
  std::vector<absl::StatusOr<AssetVersion>> GetVersions(
      RequestContext& context, const ResolverContext& resolver_context,
      std::span<const std::string> resolved_paths) const override {
    return base_->GetVersions(context, resolver_context, resolved_paths);
  }

 private:
  const std::shared_ptr<const Resolver> base_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_TESTING_FORWARDING_RESOLVER_H_
