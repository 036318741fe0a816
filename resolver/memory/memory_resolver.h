#ifndef STAGEDOOR_RESOLVER_MEMORY_MEMORY_RESOLVER_H_
#define STAGEDOOR_RESOLVER_MEMORY_MEMORY_RESOLVER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "resolver/resolver.h"

namespace stagedoor {

// Assets in memory: small scenes of tests, and layers that clients send. Plays the role of
// anonymous layers in OpenUSD.
//
// Thread-safe. Use absolute names ("/shot/root.usda", "memory://job/root.usda"), because only these
// can anchor other paths. An opened asset keeps its content when its name gets new content.
class MemoryResolver final : public Resolver {
 public:
  explicit MemoryResolver(size_t max_bytes = SIZE_MAX) : max_bytes_(max_bytes) {}

  // Assigns `content`, with a new version, to `name` after normalizing it. RESOURCE_EXHAUSTED if
  // all contents together exceed `max_bytes`; INVALID_ARGUMENT for an impossible name.
  absl::Status Put(std::string_view name, std::string content);
  void Remove(std::string_view name);
  size_t bytes() const;

  std::string CreateIdentifier(RequestContext& context, const ResolverContext& resolver_context,
                               std::string_view asset_path, std::string_view anchor) const override;
  absl::StatusOr<std::string> Resolve(RequestContext& context, const ResolverContext&,
                                      std::string_view identifier) const override;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, const ResolverContext&,
      std::string_view resolved_path) const override;
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context, const ResolverContext&,
                                          std::string_view resolved_path) const override;

 private:
  absl::StatusOr<std::shared_ptr<const Asset>> Find(RequestContext& context,
                                                    std::string_view name) const;

  const size_t max_bytes_;

  mutable SharedMutex mu_;
  std::map<std::string, std::shared_ptr<const Asset>> assets_ ABSL_GUARDED_BY(mu_);
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t last_version_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_MEMORY_MEMORY_RESOLVER_H_
