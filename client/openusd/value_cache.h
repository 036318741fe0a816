#ifndef STAGEDOOR_CLIENT_OPENUSD_VALUE_CACHE_H_
#define STAGEDOOR_CLIENT_OPENUSD_VALUE_CACHE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "usd.h"

namespace stagedoor::openusd {

struct PropertyEntry;

// The memory of a value of an attribute, with what a cache needs to hold it: kEntryBytes.
constexpr size_t kEntryBytes = 192;
size_t BytesOf(const PropertyEntry& attribute, const VtValue& value);

// A value in the cache.
struct CachedValue {
  const PropertyEntry* property;
  uint64_t time;  // its bits
  VtValue value;
  size_t bytes;
  bool was_used;  // since it was last considered for eviction
};

// Values of attributes at times. Above a limit of bytes, those are evicted that were not used for a
// while. A value that is larger than its share of the limit is not kept. The attributes must live
// as long as the cache. Thread-safe.
class ValueCache {
 public:
  explicit ValueCache(size_t max_bytes) : max_bytes_(max_bytes / kShards) {}
  ValueCache(const ValueCache&) = delete;
  ValueCache& operator=(const ValueCache&) = delete;

  // The value at a time; NaN is the default time. Empty for an attribute without a value. Nothing
  // if it is not held.
  std::optional<VtValue> Find(const PropertyEntry& property, double time);
  bool Holds(const PropertyEntry& property, double time) const;
  void Store(const PropertyEntry& property, double time, const VtValue& value);

 private:
  static constexpr size_t kShards = 16;

  struct Key {
    const PropertyEntry* property;
    uint64_t time;  // its bits
    bool operator==(const Key& other) const {
      return property == other.property && time == other.time;
    }
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  struct Shard {
    // Guards what follows, and PropertyEntry::cached_default of the attributes of this shard.
    mutable std::mutex mu;
    std::list<CachedValue> entries;  // the next one to be considered for eviction last
    std::unordered_map<Key, CachedValue*, Hash> at_times;  // all but those of the default time
    size_t bytes = 0;
  };

  static Key KeyOf(const PropertyEntry& property, double time);
  static bool IsDefault(uint64_t time);
  static CachedValue* FindIn(const Shard& shard, const Key& key);
  static void Forget(const CachedValue& value, Shard* shard);
  // Moves entries of a shard to `evicted` until it is within its limit.
  void Shrink(Shard* shard, std::list<CachedValue>* evicted);
  Shard& ShardOf(const Key& key) { return shards_[Hash()(key) % kShards]; }
  const Shard& ShardOf(const Key& key) const { return shards_[Hash()(key) % kShards]; }

  const size_t max_bytes_;  // of a shard
  std::array<Shard, kShards> shards_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_VALUE_CACHE_H_
