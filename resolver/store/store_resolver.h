#ifndef STAGEDOOR_RESOLVER_STORE_STORE_RESOLVER_H_
#define STAGEDOOR_RESOLVER_STORE_STORE_RESOLVER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/single_flight.h"
#include "resolver/resolver.h"
#include "resolver/store/block_cache.h"
#include "resolver/store/identifier_service.h"
#include "resolver/store/object_catalog.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

struct StoreResolverOptions {
  // How long the version of an object is trusted before the store is asked again. Up to a quarter
  // is added at random, so that objects that were opened together are not checked together.
  std::chrono::milliseconds revalidate{1000};
  // How long the sample of an object is trusted whose version is made of a time and a size.
  std::chrono::milliseconds resample{60000};
  // Whether all of such an object is read, and not only a sample.
  bool verify_content = false;
  // How long after the last confirmation by the store an object may be used while the store is
  // unavailable; 0: not at all.
  std::chrono::seconds stale_if_error{0};
  // How many bytes are fetched when an object is opened. Most text layers have less.
  size_t head_bytes = 64 << 10;
  ObjectCatalog::Options catalog;
  std::function<double()> random;  // in [0, 1); null for a generator of its own
};

// Resolves the objects of a store. The resolved path is the normalized URI. Assets are fetched as
// far as they are read, and kept in a BlockCache; an open asset keeps its version, or reads of it
// fail with DATA_LOSS if the store does not have that version any more. Relative identifiers are
// anchored as those of files are, unless an IdentifierService knows better.
//
// While the store is unavailable, Resolve and OpenAsset end the request, because a scene without
// the asset would be wrong (FailIfOutage). But objects that it confirmed not long ago are used, if
// the options permit that and as far as they are in the cache; the request gets a warning
// (Warning::Kind::kStaleAsset).
class StoreResolver final : public Resolver {
 public:
  // `cache` must outlive the resolver and its assets. `identifiers` decides what asset paths mean;
  // it may be null.
  StoreResolver(std::shared_ptr<const ObjectStore> store, BlockCache& cache,
                StoreResolverOptions options,
                std::shared_ptr<const IdentifierService> identifiers = nullptr);

  // Makes the next look-ups ask the store: about some assets, or about all of them.
  void Expire(std::span<const std::string> paths) const;
  void ExpireAll() const;

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
  using Clock = ObjectCatalog::Clock;

  // The current version of an object, asking the store if it is not fresh.
  absl::StatusOr<ObjectInfo> Current(RequestContext& context, const std::string& path) const;
  absl::StatusOr<ObjectInfo> Ask(RequestContext& context, const std::string& path) const;
  // The information about an object that is known without asking the store, if it is fresh.
  std::optional<absl::StatusOr<ObjectInfo>> Known(RequestContext& context,
                                                  const std::string& path) const;
  // The information of an object while the store is unavailable; `why` if it may not be used.
  absl::StatusOr<ObjectInfo> Stale(RequestContext& context, const std::string& path,
                                   const absl::Status& why, uint64_t generation) const;
  // Returns the known information, and adds a warning to the request.
  ObjectInfo UseStale(RequestContext& context, const std::string& path,
                      const ObjectCatalog::Known& known) const;
  // Records the answer of the store for an object, and returns what to use. `generation` is that of
  // the catalog before the store was asked, `reads` how many samples may still be read.
  absl::StatusOr<ObjectInfo> Note(RequestContext& context, const std::string& path,
                                  const absl::StatusOr<ObjectInfo>& answer, uint64_t generation,
                                  size_t* reads) const;
  // Sets the sample of an object whose version is made of a time and a size, from `head` if that is
  // all of the object, from what is known if that is new enough or no `reads` are left, else by
  // asking the store, which takes one of them. Returns when it was read.
  absl::StatusOr<Clock::time_point> Sample(RequestContext& context, const std::string& path,
                                           std::string_view head, size_t* reads,
                                           ObjectInfo* info) const;
  absl::StatusOr<std::shared_ptr<const BlockFile>> OpenFile(const std::string& path,
                                                            const ObjectInfo& info) const;
  Clock::duration FreshFor() const;

  const std::shared_ptr<const ObjectStore> store_;
  const std::shared_ptr<const IdentifierService> identifiers_;
  BlockCache& cache_;
  const StoreResolverOptions options_;
  const std::shared_ptr<ObjectCatalog> catalog_;  // also of the open files
  mutable SingleFlight<std::string, ObjectInfo> flights_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_STORE_RESOLVER_H_
