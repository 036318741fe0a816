#ifndef STAGEDOOR_BASE_LRU_CACHE_H_
#define STAGEDOOR_BASE_LRU_CACHE_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "base/negative_cache.h"
#include "base/out_of_memory.h"
#include "base/recency_list.h"
#include "base/request_context.h"
#include "base/request_scope.h"
#include "base/single_flight.h"
#include "base/status.h"

namespace stagedoor {

// Limits of an LruCache.
struct LruCacheOptions {
  using Clock = std::chrono::steady_clock;

  size_t max_bytes = size_t{256} << 20;  // above it, unpinned entries are evicted
  size_t max_entries = std::numeric_limits<size_t>::max();
  // The limit including pinned entries. A load that would exceed it is RESOURCE_EXHAUSTED.
  size_t hard_max_bytes = std::numeric_limits<size_t>::max();
  size_t shards = 16;
  // How long a failed load is remembered; zero disables it.
  Clock::duration negative_ttl = std::chrono::seconds(0);
  size_t max_negative_entries = 4096;
  size_t max_negative_bytes = size_t{16} << 20;  // of the keys and messages
  std::function<Clock::time_point()> now = Clock::now;
};

// Counters since construction, and current sizes.
struct LruCacheStats {
  int64_t hits = 0;           // answered from the cache
  int64_t negative_hits = 0;  // answered with a remembered failure
  int64_t misses = 0;         // neither
  int64_t loads = 0;          // loaders run; misses that shared a load are not counted
  int64_t load_failures = 0;
  int64_t evictions = 0;
  size_t bytes = 0;
  size_t entries = 0;
  size_t max_bytes = 0;
  size_t max_entries = 0;
};

// A cache of shared immutable values, bounded by bytes and by number of entries, with
// least-recently-used eviction. Comparable to leveldb::Cache and folly::EvictingCacheMap.
//
// Thread-safe and sharded. No lock is held while a loader runs, and only one load runs per key
// however many callers want it (SingleFlight). An entry is pinned while a caller holds its pointer.
// Pinned entries are not evicted, because that would free no memory and load them twice. The cache
// may therefore exceed max_bytes, but never hard_max_bytes. Loaders state the size of their values.
//
// Lasting failures (NegativeCache) are remembered for negative_ttl.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class LruCache {
 public:
  using Pointer = std::shared_ptr<const Value>;
  struct Loaded {
    Pointer value;
    size_t bytes = 0;
  };
  using Loader = std::function<absl::StatusOr<Loaded>()>;

  explicit LruCache(LruCacheOptions options)
      : options_(std::move(options)), shards_(std::max<size_t>(options_.shards, 1)) {}
  LruCache(const LruCache&) = delete;
  LruCache& operator=(const LruCache&) = delete;

  // Returns the cached value or null. Counts as a hit or a miss.
  Pointer Get(const Key& key) {
    Shard& shard = ShardOf(key);
    MutexLock lock(shard.mu);
    Pointer value = Find(shard, key);
    ++(value != nullptr ? shard.hits : shard.misses);
    return value;
  }

  // Returns the cached value, or the value of `loader`, which is then cached. Errors: those of the
  // loader (possibly remembered), RESOURCE_EXHAUSTED above hard_max_bytes, and those of
  // SingleFlight::Do.
  absl::StatusOr<Pointer> GetOrLoad(RequestContext& context, const Key& key, const Loader& loader) {
    Shard& shard = ShardOf(key);
    {
      MutexLock lock(shard.mu);
      if (std::optional<absl::StatusOr<Pointer>> known = Lookup(shard, key)) {
        return *std::move(known);
      }
      ++shard.misses;
    }
    return flights_.Do(context, key, [&] { return Load(context, shard, key, loader); });
  }

  // Removes a value or failure. A load in progress is not cached when it ends, and is not shared
  // with callers that ask after this call.
  void Erase(const Key& key) {
    EraseKey(ShardOf(key), key);
    flights_.Forget(key);
  }
  template <typename Predicate>  // bool(const Key&)
  void EraseIf(const Predicate& predicate) {
    for (Shard& shard : shards_) {
      for (const Key& key : EraseMatching(shard, predicate)) flights_.Forget(key);
    }
  }
  void Clear() {
    EraseIf([](const Key&) { return true; });
  }

  // Evicts entries until the limits hold or only pinned entries are left. Each insertion does so by
  // itself; call it after releasing many pins.
  void Trim() {
    while (OverLimit()) {
      Shard* victim = nullptr;
      uint64_t oldest = std::numeric_limits<uint64_t>::max();
      for (Shard& shard : shards_) {
        MutexLock lock(shard.mu);
        const Held* held = OldestUnpinned(shard);
        if (held != nullptr && held->tick < oldest) {
          oldest = held->tick;
          victim = &shard;
        }
      }
      if (victim == nullptr) return;
      EvictOldest(*victim);
    }
  }

  // Evicts all entries that are not pinned.
  void DropUnpinned() {
    for (Shard& shard : shards_) {
      while (EvictOldest(shard)) {
      }
    }
  }

  // The size of all entries. Cheaper than Stats.
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  size_t max_bytes() const { return options_.max_bytes; }

  LruCacheStats Stats() const {
    LruCacheStats stats;
    for (const Shard& shard : shards_) {
      MutexLock lock(shard.mu);
      stats.hits += shard.hits;
      stats.negative_hits += shard.negative_hits;
      stats.misses += shard.misses;
      stats.loads += shard.loads;
      stats.load_failures += shard.load_failures;
      stats.evictions += shard.evictions;
    }
    stats.bytes = bytes_.load(std::memory_order_relaxed);
    stats.entries = entries_.load(std::memory_order_relaxed);
    stats.max_bytes = options_.max_bytes;
    stats.max_entries = options_.max_entries;
    return stats;
  }

 private:
  using Clock = LruCacheOptions::Clock;
  struct Held {
    Pointer value;
    size_t bytes;
    uint64_t tick;  // of the last use, counted across all shards
  };
  using Entries = RecencyList<Key, Held, Hash>;
  struct Shard {
    mutable Mutex mu;
    Entries entries ABSL_GUARDED_BY(mu);
    NegativeCache<Key, Hash> failures ABSL_GUARDED_BY(mu);
    std::unordered_map<Key, uint64_t, Hash> loading ABSL_GUARDED_BY(mu);  // tickets of loads
    uint64_t last_ticket ABSL_GUARDED_BY(mu) = 0;
    int64_t hits ABSL_GUARDED_BY(mu) = 0, negative_hits ABSL_GUARDED_BY(mu) = 0,
                 misses ABSL_GUARDED_BY(mu) = 0, loads ABSL_GUARDED_BY(mu) = 0,
                 load_failures ABSL_GUARDED_BY(mu) = 0, evictions ABSL_GUARDED_BY(mu) = 0;
  };

  Shard& ShardOf(const Key& key) {
    // std::hash of pointers and integers is the identity, so mix the bits before choosing.
    return shards_[(SpreadBits(Hash{}(key)) >> 32) % shards_.size()];
  }

  uint64_t NextTick() { return tick_.fetch_add(1, std::memory_order_relaxed); }

  bool OverLimit() const {
    return bytes_.load(std::memory_order_relaxed) > options_.max_bytes ||
           entries_.load(std::memory_order_relaxed) > options_.max_entries;
  }

  Pointer Find(Shard& shard, const Key& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu) {
    const auto it = shard.entries.Find(key);
    if (it == shard.entries.end()) return nullptr;
    shard.entries.Touch(it);
    it->value.tick = NextTick();
    return it->value.value;
  }

  std::optional<absl::StatusOr<Pointer>> Lookup(Shard& shard, const Key& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu) {
    if (Pointer value = Find(shard, key)) {
      ++shard.hits;
      return absl::StatusOr<Pointer>(std::move(value));
    }
    if (shard.failures.size() == 0) return std::nullopt;
    const absl::Status* failure = shard.failures.Find(key, options_.now());
    if (failure == nullptr) return std::nullopt;
    ++shard.negative_hits;
    return absl::StatusOr<Pointer>(*failure);
  }

  absl::StatusOr<Pointer> Load(RequestContext& context, Shard& shard, const Key& key,
                               const Loader& loader) {
    uint64_t ticket;
    {
      MutexLock lock(shard.mu);
      // Another load may have finished between the caller's look-up and the start of this one.
      if (Pointer value = Find(shard, key)) return value;
      ++shard.loads;
      ticket = ++shard.last_ticket;
      shard.loading[key] = ticket;
    }
    absl::StatusOr<Loaded> loaded =
        CatchOutOfMemory(loader, [&](const absl::Status& why) { context.Fail(why); });
    // A loop that was stopped early may have left a partial result, which must not be kept.
    if (loaded.ok() && context.failed()) loaded = context.Check();
    if (loaded.ok() && loaded->value == nullptr) loaded = InternalError("no value was loaded");
    Pointer value = loaded.ok() ? loaded->value : nullptr;
    {
      MutexLock lock(shard.mu);
      const auto it = shard.loading.find(key);
      const bool current = it != shard.loading.end() && it->second == ticket;
      if (current) shard.loading.erase(it);
      if (!loaded.ok()) {
        ++shard.load_failures;
        if (current) Remember(shard, key, loaded.status());
        return loaded.status();
      }
      if (!current) return value;
      Insert(shard, key, *std::move(loaded));
    }
    if (absl::Status status = Settle(shard, key); !status.ok()) return status;
    return value;
  }

  void Insert(Shard& shard, const Key& key, Loaded loaded) ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu) {
    shard.entries.Add(key, {std::move(loaded.value), loaded.bytes, NextTick()});
    bytes_.fetch_add(loaded.bytes, std::memory_order_relaxed);
    entries_.fetch_add(1, std::memory_order_relaxed);
  }

  // Makes room for the value just inserted under `key`, or removes that value again.
  absl::Status Settle(Shard& shard, const Key& key) {
    Trim();
    const size_t bytes = bytes_.load(std::memory_order_relaxed);
    if (bytes <= options_.hard_max_bytes) return absl::OkStatus();
    EraseKey(shard, key);
    return ResourceExhaustedError("the cache is full: ", bytes, " bytes in use or requested, ",
                                  options_.hard_max_bytes, " allowed");
  }

  void Remember(Shard& shard, const Key& key, const absl::Status& status)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu) {
    if (options_.negative_ttl <= Clock::duration::zero()) return;
    shard.failures.Remember(key, status, options_.now() + options_.negative_ttl,
                            {.entries = options_.max_negative_entries / shards_.size(),
                             .bytes = options_.max_negative_bytes / shards_.size()});
  }

  // Returns the least recently used entry that is not pinned, or null. Moves pinned entries from
  // the old end to the front: an entry that is held is in use.
  const Held* OldestUnpinned(Shard& shard) ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu) {
    for (size_t left = shard.entries.size(); left > 0; --left) {
      const auto last = shard.entries.oldest();
      if (last->value.value.use_count() == 1) return &last->value;
      last->value.tick = NextTick();
      shard.entries.Touch(last);
    }
    return nullptr;
  }

  // Evicts the least recently used entry that is not pinned. False if there is none.
  bool EvictOldest(Shard& shard) {
    typename Entries::List victim;  // destroyed after the lock is released
    MutexLock lock(shard.mu);
    if (OldestUnpinned(shard) == nullptr) return false;
    Take(shard, shard.entries.oldest(), victim);
    ++shard.evictions;
    return true;
  }

  typename Entries::iterator Take(Shard& shard, typename Entries::iterator entry,
                                  typename Entries::List& out)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu) {
    bytes_.fetch_sub(entry->value.bytes, std::memory_order_relaxed);
    entries_.fetch_sub(1, std::memory_order_relaxed);
    return shard.entries.Take(entry, &out);
  }

  void EraseKey(Shard& shard, const Key& key) {
    typename Entries::List victims;  // destroyed after the lock is released
    MutexLock lock(shard.mu);
    if (const auto it = shard.entries.Find(key); it != shard.entries.end()) {
      Take(shard, it, victims);
    }
    shard.failures.Forget(key);
    shard.loading.erase(key);
  }

  // Returns the matching keys whose loads are in progress.
  template <typename Predicate>
  std::vector<Key> EraseMatching(Shard& shard, const Predicate& matches) {
    const RequestMemoryExemption all_or_nothing;
    typename Entries::List victims;  // destroyed after the lock is released
    std::vector<Key> detached;
    MutexLock lock(shard.mu);
    for (auto it = shard.entries.begin(); it != shard.entries.end();) {
      it = matches(it->key) ? Take(shard, it, victims) : std::next(it);
    }
    shard.failures.ForgetIf(matches);
    std::erase_if(shard.loading, [&](const auto& item) {
      if (!matches(item.first)) return false;
      detached.push_back(item.first);
      return true;
    });
    return detached;
  }

  const LruCacheOptions options_;
  std::vector<Shard> shards_;
  SingleFlight<Key, Pointer, Hash> flights_;
  std::atomic<uint64_t> tick_{0};
  std::atomic<size_t> bytes_{0};
  std::atomic<size_t> entries_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_LRU_CACHE_H_
