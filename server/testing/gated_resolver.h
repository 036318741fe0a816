#ifndef STAGEDOOR_SERVER_TESTING_GATED_RESOLVER_H_
#define STAGEDOOR_SERVER_TESTING_GATED_RESOLVER_H_

#include <atomic>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>

#include "resolver/testing/forwarding_resolver.h"

namespace stagedoor::server {

// Blocks when an asset is opened.
class GatedResolver final : public ForwardingResolver {
 public:
  using ForwardingResolver::ForwardingResolver;

  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view path) const override {
    if (closed && path == gated) {
      closed = false;
      reached.release();
      gate.acquire();
    }
    return ForwardingResolver::OpenAsset(context, resolver_context, path);
  }

  std::string gated;                         // path
  mutable std::atomic<bool> closed{false};   // stops the next opening of `gated`
  mutable std::binary_semaphore reached{0};  // released when the opening is stopped
  mutable std::binary_semaphore gate{0};     // lets it go on
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_GATED_RESOLVER_H_
