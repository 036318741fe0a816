#ifndef STAGEDOOR_RESOLVER_CACHING_RESOLVER_H_
#define STAGEDOOR_RESOLVER_CACHING_RESOLVER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/lru_cache.h"
#include "resolver/resolver.h"

namespace stagedoor {

struct CachingResolverOptions {
  using Clock = LruCacheOptions::Clock;

  Clock::duration found_ttl = std::chrono::seconds(30);
  Clock::duration missing_ttl = std::chrono::seconds(2);
  size_t max_entries = 200000;
  size_t max_bytes = size_t{64} << 20;
  std::function<Clock::time_point()> now = Clock::now;
};

// Caches the results of Resolve and CreateIdentifier of `base` for a while, and for a shorter while
// that an asset does not exist (NOT_FOUND, PERMISSION_DENIED). Other failures, opened assets and
// versions are not cached. Plays the role of OpenUSD's ArResolverScopedCache. Thread-safe;
// concurrent callers share one look-up per path and resolver context.
class CachingResolver final : public Resolver {
 public:
  CachingResolver(std::shared_ptr<const Resolver> base, CachingResolverOptions options);

  // Clears the cache, so that the next look-ups see the current state. Called by a refresh.
  void Invalidate() { cache_.Clear(); }
  LruCacheStats Stats() const { return cache_.Stats(); }

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
  struct Answer {
    absl::StatusOr<std::string> path;
    CachingResolverOptions::Clock::time_point expiry;
  };
  absl::StatusOr<std::string> LookUp(
      RequestContext& context, const std::string& key,
      const std::function<absl::StatusOr<std::string>()>& load) const;

  const std::shared_ptr<const Resolver> base_;
  const CachingResolverOptions options_;
  mutable LruCache<std::string, Answer> cache_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_CACHING_RESOLVER_H_
