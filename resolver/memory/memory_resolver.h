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

// Assets held in memory under their names: tiny scenes of tests, layers that clients send.
//
// Thread-safe. Give them absolute names ("/shot/root.usda", "memory://job/root.usda"): only these
// anchor others. An opened asset keeps its content when its name gets a new one.
class MemoryResolver final : public Resolver {
 public:
  explicit MemoryResolver(size_t max_bytes = SIZE_MAX) : max_bytes_(max_bytes) {}

  // Gives `name` (normalized) the content and a new version. RESOURCE_EXHAUSTED above `max_bytes`
  // for all contents together; INVALID_ARGUMENT for an impossible name.
  absl::Status Put(std::string_view name, std::string content);
  void Remove(std::string_view name);
  size_t bytes() const;

  std::string CreateIdentifier(RequestContext& context, std::string_view asset_path,
                               std::string_view anchor) const override;
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      std::string_view identifier) const override;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, std::string_view resolved_path) const override;
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
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
