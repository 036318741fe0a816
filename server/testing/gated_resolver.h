#ifndef STAGEDOOR_SERVER_TESTING_GATED_RESOLVER_H_
#define STAGEDOOR_SERVER_TESTING_GATED_RESOLVER_H_

#include <atomic>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>

#include "resolver/resolver.h"

namespace stagedoor::server {

// Blocks when an asset is opened.
class GatedResolver final : public Resolver {
 public:
  explicit GatedResolver(std::shared_ptr<const Resolver> base) : base_(std::move(base)) {}
  std::string CreateIdentifier(RequestContext& context, const ResolverContext& resolver_context,
                               std::string_view path, std::string_view anchor) const override {
    return base_->CreateIdentifier(context, resolver_context, path, anchor);
  }
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      const ResolverContext& resolver_context,
                                      std::string_view identifier) const override {
    return base_->Resolve(context, resolver_context, identifier);
  }
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view path) const override {
    if (closed && path == gated) {
      closed = false;
      reached.release();
      gate.acquire();
    }
    return base_->OpenAsset(context, resolver_context, path);
  }
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          std::string_view path) const override {
    return base_->GetVersion(context, resolver_context, path);
  }

  std::string gated;                         // path
  mutable std::atomic<bool> closed{false};   // stops the next opening of `gated`
  mutable std::binary_semaphore reached{0};  // released when the opening is stopped
  mutable std::binary_semaphore gate{0};     // lets it go on

 private:
  const std::shared_ptr<const Resolver> base_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_GATED_RESOLVER_H_
