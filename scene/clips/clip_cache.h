// ClipCache: the clip layers of all stages, open once each, bounded by bytes and by open files.
//
// One per daemon. A layer opens on the first read however many want it (single flight), stays while
// it is pinned, and goes when it was least recently used and room is needed. A layer's size is what
// it holds in memory and all of its mapped file. Files that cannot be read are remembered for a
// while. Statistics of layers outlive their eviction. Thread-safe; no lock is held while a layer
// opens or closes.
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
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/negative_cache.h"
#include "base/request_context.h"
#include "base/single_flight.h"
#include "scene/clips/clip_slot.h"
#include "scene/clips/prefetch_tally.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

struct ClipCacheOptions {
  using Clock = std::chrono::steady_clock;

  uint64_t max_bytes = uint64_t{2} << 30;
  size_t max_layers = 16384;  // each may be a mapped file
  Clock::duration negative_ttl = std::chrono::seconds(5);
  // Files that are not open but remembered, as failures and for statistics, and what either may
  // take.
  size_t max_known = 65536;
  size_t max_known_bytes = size_t{16} << 20;
  std::function<Clock::time_point()> now = Clock::now;
};

// Counters since construction, and present sizes.
struct ClipCacheStats {
  uint64_t hits = 0;           // reads of layers that were open
  uint64_t misses = 0;         // reads that opened one, or waited for it
  uint64_t negative_hits = 0;  // answered with a remembered failure
  uint64_t opens = 0;
  uint64_t open_failures = 0;
  uint64_t evictions = 0;
  uint64_t prefetches = 0;  // opens ahead of the reads
  uint64_t bytes = 0;
  uint64_t layers = 0;
  uint64_t pinned_layers = 0;
  uint64_t missing = 0;  // files that could not be opened when that was tried last
  uint64_t max_bytes = 0;
  uint64_t max_layers = 0;
};

struct ClipLayerStats {
  std::string identifier;
  uint64_t bytes = 0;  // 0: not open
  uint64_t opens = 0;
  uint64_t open_failures = 0;
  uint64_t hits = 0;
  bool pinned = false;
  bool missing = false;  // could not be opened when that was tried last
};

class ClipCache {
 public:
  using Clock = ClipCacheOptions::Clock;
  using MakeView =
      std::function<std::unique_ptr<ClipSlot::View>(const std::shared_ptr<const Layer>&)>;

  // `registry` outlives it; it outlives all slots that were filled.
  ClipCache(LayerRegistry& registry, ClipCacheOptions options);
  ~ClipCache();

  LayerRegistry& registry() const { return registry_; }
  uint32_t clock() const { return clock_.load(std::memory_order_relaxed); }

  // Fills the slot with a view of the layer and pins it. Errors: the registry's.
  absl::Status Fill(RequestContext& context, const std::string& identifier, ClipSlot& slot,
                    const MakeView& make_view, bool prefetch = false);
  // The memory of the layer in a slot that the caller has pinned.
  uint64_t BytesOf(const ClipSlot& slot) const;
  // Whether the limits allow one layer more beside those of `tally`, if it is like them.
  bool HasRoomAfter(const PrefetchTally& tally) const;
  // Empties slots whose owner goes away; nobody pins them any more.
  void Release(std::span<ClipSlot> slots);

  // Forgets layers whose assets changed, and all failures; returns the identifiers of the former.
  // Later requests get the new content, except while others still read the old one.
  std::vector<std::string> Refresh(RequestContext& context);
  // Evicts what is not pinned until the limits hold.
  void Trim();
  // Evicts everything that is not pinned.
  void Clear();

  ClipCacheStats Stats() const;
  // Statistics of the layers that were requested, as far as they are remembered; by identifier.
  std::vector<ClipLayerStats> LayerStats() const;

 private:
  // What is remembered of a layer, open or not.
  struct Record {
    uint64_t opens = 0;
    uint64_t open_failures = 0;
    uint64_t hits = 0;     // but for those that slots count
    uint32_t entries = 0;  // that refer to it
    bool missing = false;
  };
  struct Entry {
    std::string identifier;
    std::shared_ptr<const Layer> layer;
    Record* record = nullptr;
    uint64_t bytes = 0;
    uint32_t used = 0;   // as far as the list knows
    bool stale = false;  // no longer in entries_, its slots closed
    std::vector<ClipSlot*> slots;
    std::list<Entry*>::iterator place;
  };
  // What is destroyed after the lock is given back. Adding to it allocates nothing: slots must be
  // emptied where there is no memory, too.
  struct Garbage {
    Garbage() = default;
    Garbage(const Garbage&) = delete;
    Garbage& operator=(const Garbage&) = delete;
    ~Garbage();
    void Add(std::unique_ptr<ClipSlot::View> view);

    std::unique_ptr<ClipSlot::View> views;  // the first, which has the next one
    std::list<Entry*> entries;              // owned
  };

  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                    const std::string& identifier, bool prefetch);
  // Slots that are new to an open layer get its present content.
  void DropIfChanged(RequestContext& context, const std::string& identifier);
  bool IsCurrent(RequestContext& context, const Layer& layer) const;
  // True if the layer is open and the slot now has it, pinned.
  bool Attach(const std::string& identifier, ClipSlot& slot, const MakeView& make_view, bool hit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Insert(const std::string& identifier, LayerRegistry::Opened opened)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Remember(const std::string& identifier, const absl::Status& failure)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Record& RecordOf(const std::string& identifier) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  static size_t RecordBytes(const std::string& identifier);
  // Forgets all records of layers that are not open.
  void ForgetRecords() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The layer of the record opens, or one of its entries goes.
  void AddEntry(Record& record, const std::string& identifier) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void RemoveEntry(Record& record, const std::string& identifier)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SetMissing(Record& record, bool missing) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool OverLimit() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return bytes_ > options_.max_bytes || order_.size() > options_.max_layers;
  }
  void Evict(Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Takes the entry out unless it is pinned.
  bool Drop(Entry& entry, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Remove(Entry& entry, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool Detach(Entry& entry, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Empties one slot, which nobody pins; it is still among the entry's.
  void Empty(ClipSlot& slot, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void EmptyIfStale(ClipSlot& slot, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Outdate(const std::string& identifier, Garbage* garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  static uint32_t LastUse(const Entry& entry);
  static bool IsPinned(const Entry& entry);

  LayerRegistry& registry_;
  const ClipCacheOptions options_;
  std::atomic<uint32_t> clock_{1};
  SingleFlight<std::string, std::shared_ptr<const Layer>> flights_;

  mutable Mutex mu_;
  std::unordered_map<std::string, Entry*> entries_ ABSL_GUARDED_BY(mu_);
  std::list<Entry*> order_ ABSL_GUARDED_BY(mu_);  // owned; roughly least recently used first
  std::unordered_map<std::string, Record> records_ ABSL_GUARDED_BY(mu_);
  size_t idle_record_bytes_ ABSL_GUARDED_BY(mu_) = 0;  // of layers that are not open
  NegativeCache<std::string> failures_ ABSL_GUARDED_BY(mu_);
  uint64_t refreshes_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  ClipCacheStats counts_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_CACHE_H_
