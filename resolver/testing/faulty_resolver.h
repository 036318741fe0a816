#ifndef STAGEDOOR_RESOLVER_TESTING_FAULTY_RESOLVER_H_
#define STAGEDOOR_RESOLVER_TESTING_FAULTY_RESOLVER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resolver/resolver.h"

namespace stagedoor {

// The faults to inject, and when. Shared by a FaultyResolver and its assets. May be set before or
// during use.
struct Faults {
  std::atomic<bool> hide_buffer{false};        // assets have no mapping and must be read
  std::atomic<size_t> longest_read{SIZE_MAX};  // reads return at most this many bytes
  std::atomic<int64_t> read_delay_us{0};
  std::atomic<int64_t> good_reads{
      std::numeric_limits<int64_t>::max()};  // later ones are UNAVAILABLE
  std::atomic<int64_t> good_opens{std::numeric_limits<int64_t>::max()};
  std::atomic<bool> damaged{false};               // Check and Read return DATA_LOSS
  std::atomic<bool> versions_unavailable{false};  // GetVersions returns UNAVAILABLE for each

  std::atomic<int64_t> opens{0};  // number of opens, for tests that expect none
  std::atomic<int64_t> reads{0};
  std::atomic<int64_t> version_calls{0};  // number of calls of GetVersions
  std::atomic<int64_t> versions{0};       // number of versions that these calls asked for
};

// Wraps `asset` with the faults of `faults`.
std::shared_ptr<const Asset> MakeFaultyAsset(std::shared_ptr<const Asset> asset,
                                             std::shared_ptr<Faults> faults);

// A resolver whose assets have the faults of `faults`. Thread-safe.
class FaultyResolver final : public Resolver {
 public:
  FaultyResolver(std::shared_ptr<const Resolver> base, std::shared_ptr<Faults> faults)
      : base_(std::move(base)), faults_(std::move(faults)) {}

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
  const std::shared_ptr<Faults> faults_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_TESTING_FAULTY_RESOLVER_H_
