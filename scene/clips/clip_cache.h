#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_CACHE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_CACHE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/negative_cache.h"
#include "base/request_context.h"
#include "base/single_flight.h"
#include "scene/clips/clip_cache_options.h"
#include "scene/clips/clip_slot.h"
#include "scene/clips/prefetch_tally.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

// Counters since construction, and current sizes.
struct ClipCacheStats {
  uint64_t hits = 0;           // reads of layers that were already open
  uint64_t misses = 0;         // reads that opened a layer or waited for it
  uint64_t negative_hits = 0;  // reads answered with a remembered failure
  uint64_t opens = 0;
  uint64_t open_failures = 0;
  uint64_t evictions = 0;
  uint64_t prefetches = 0;  // opens ahead of a read
  uint64_t bytes = 0;
  uint64_t layers = 0;
  uint64_t pinned_layers = 0;
  uint64_t missing = 0;  // files whose last attempt to open failed
  uint64_t max_bytes = 0;
  uint64_t max_layers = 0;
};

struct ClipLayerStats {
  std::string identifier;
  uint64_t bytes = 0;  // 0 if the layer is not open
  uint64_t opens = 0;
  uint64_t open_failures = 0;
  uint64_t hits = 0;
  bool pinned = false;
  bool missing = false;  // the last attempt to open it failed
};

// The clip layers of all stages, each open once, bounded in bytes and in open files.
//
// OpenUSD has no such cache: its Usd_Clip opens its layer on first use and keeps it open until the
// stage closes.
//
// One per daemon. The first read opens a layer, however many callers want it (single flight). It
// stays open while it is pinned, and is evicted least recently used first when a limit is exceeded.
// Its size is its memory plus the whole of its mapped file. Files that cannot be read are
// remembered for a while. Statistics of a layer outlive its eviction. Thread-safe; no lock is held
// while a layer opens or closes.
class ClipCache {
 public:
  using Clock = ClipCacheOptions::Clock;
  using MakeView =
      std::function<std::unique_ptr<ClipSlot::View>(const std::shared_ptr<const Layer>&)>;

  // `registry` outlives the cache; the cache outlives all slots that it fills.
  ClipCache(LayerRegistry& registry, ClipCacheOptions options);
  ~ClipCache();

  LayerRegistry& registry() const { return registry_; }
  const ClipCacheOptions& options() const { return options_; }
  // The time of a use for ClipSlot::TryPin: a counter that advances with each layer that opens.
  // Wraps around.
  uint32_t clock() const { return clock_.load(std::memory_order_relaxed); }

  // Fills `slot` with a view of the layer that `identifier` names in a resolver context, and pins
  // it; opens the layer if necessary. `prefetch` keeps the call out of the hits and misses. Errors:
  // those of the registry.
  absl::Status Fill(RequestContext& context, const ResolverContext& resolver_context,
                    const std::string& identifier, ClipSlot& slot, const MakeView& make_view,
                    bool prefetch = false);
  // The bytes of the layer in a slot that the caller has pinned; 0 if the slot is empty.
  uint64_t BytesOf(const ClipSlot& slot) const;
  // Whether the limits allow another layer of average size beside those that `tally` counts.
  bool HasRoomAfter(const PrefetchTally& tally) const;
  // Empties slots before their owner destroys them; none may be pinned.
  void Release(std::span<ClipSlot> slots);

  // Drops layers whose assets have changed, and all remembered failures; returns the identifiers of
  // those layers. Later reads get the new content, except through slots that are still pinned.
  // `only`, which may be null, limits this to layers whose resolved path, or that of the outermost
  // package that contains them, is in it.
  std::vector<std::string> Refresh(RequestContext& context,
                                   const std::unordered_set<std::string>* only = nullptr);
  // Evicts layers that are not pinned until the limits hold.
  void Trim();
  // Evicts all layers that are not pinned, and forgets all failures.
  void Clear();

  ClipCacheStats Stats() const;
  struct OpenAsset {
    std::string resolved_path;
    std::string version;  // AssetVersion::token()
  };
  // The assets of the layers that are open.
  std::vector<OpenAsset> OpenAssets() const;
  // Statistics of the layers that were requested, as far as they are remembered, ordered by
  // identifier.
  std::vector<ClipLayerStats> LayerStats() const;

 private:
  // The cache's record of a layer, open or not.
  struct Record {
    uint64_t opens = 0;
    uint64_t open_failures = 0;
    uint64_t hits = 0;     // without those that slots still count
    uint32_t entries = 0;  // how many entries refer to the record
    bool missing = false;
  };
  // The key of a layer in the cache. Contexts in which an identifier stands for the same asset
  // share the layer.
  struct Site {
    const ResolverContext& resolver_context;
    const std::string& identifier;
    std::string key;  // the identifier, followed by '\0' and more if the context matters
  };
  struct Entry {
    std::string key;
    ResolverContext resolver_context;  // one in which the layer was opened
    std::shared_ptr<const Layer> layer;
    Record* record = nullptr;
    uint64_t bytes = 0;
    uint32_t used = 0;   // the last use that the order of the list accounts for
    bool stale = false;  // no longer in entries_, its slots closed
    std::vector<ClipSlot*> slots;
    std::list<Entry*>::iterator place;
  };
  // Objects to destroy after the lock is released. Adding one allocates nothing, because slots must
  // be emptied even when memory is exhausted.
  struct Garbage {
    Garbage() = default;
    Garbage(const Garbage&) = delete;
    Garbage& operator=(const Garbage&) = delete;
    ~Garbage();
    void Add(std::unique_ptr<ClipSlot::View> view);

    std::unique_ptr<ClipSlot::View> views;  // head of the list linked by View::next_
    std::list<Entry*> entries;              // owned
  };

  Site Locate(RequestContext& context, const ResolverContext& resolver_context,
              const std::string& identifier) const;
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context, const Site& site,
                                                    bool prefetch);
  // Drops the layer if its asset has changed, so that a slot new to it gets the current content.
  void DropIfChanged(RequestContext& context, const Site& site);
  bool IsCurrent(RequestContext& context, const ResolverContext& resolver_context,
                 const Layer& layer) const;
  // Pins the slot if the layer is open, filling it if necessary; returns whether it did.
  bool Attach(const std::string& key, ClipSlot& slot, const MakeView& make_view, bool hit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Insert(const Site& site, LayerRegistry::Opened opened) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Remember(const std::string& key, const absl::Status& failure)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Record& RecordOf(const std::string& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  static size_t RecordBytes(const std::string& key);
  // Forgets all records of layers that are not open.
  void ForgetRecords() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Count the entries of a record. The bytes of records without entries are limited.
  void AddEntry(Record& record, const std::string& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void RemoveEntry(Record& record, const std::string& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SetMissing(Record& record, bool missing) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool OverLimit() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return bytes_ > options_.max_bytes || order_.size() > options_.max_layers;
  }
  void Evict(Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Removes the entry unless it is pinned; returns whether it did.
  bool Drop(Entry& entry, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Removes an entry that no slot refers to.
  void Remove(Entry& entry, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Empties the slots of an entry, all or none; false if one is pinned.
  bool Detach(Entry& entry, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Empties one unpinned slot, which the caller removes from the entry's list.
  void Empty(ClipSlot& slot, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void EmptyIfStale(ClipSlot& slot, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Drops the layer, or marks it stale while it is pinned, so that later reads open it again.
  void Outdate(const std::string& key, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  static uint32_t LastUse(const Entry& entry);
  static bool IsPinned(const Entry& entry);

  LayerRegistry& registry_;
  const ClipCacheOptions options_;
  std::atomic<uint32_t> clock_{1};
  SingleFlight<std::string, std::shared_ptr<const Layer>> flights_;

  mutable Mutex mu_;
  // By Site::key, as are the records and failures.
  std::unordered_map<std::string, Entry*> entries_ ABSL_GUARDED_BY(mu_);
  std::list<Entry*> order_ ABSL_GUARDED_BY(mu_);  // owned; roughly least recently used first
  std::unordered_map<std::string, Record> records_ ABSL_GUARDED_BY(mu_);
  size_t idle_record_bytes_ ABSL_GUARDED_BY(mu_) = 0;  // records of closed layers
  NegativeCache<std::string> failures_ ABSL_GUARDED_BY(mu_);
  uint64_t refreshes_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  ClipCacheStats counts_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_CACHE_H_
