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

// Values of attributes at times, the least recently used ones evicted above a limit of bytes. A
// value that is larger than its share of the limit is not kept. Thread-safe.
class ValueCache {
 public:
  explicit ValueCache(size_t max_bytes) : max_bytes_(max_bytes / kShards) {}

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
  struct Entry {
    Key key;
    VtValue value;
    size_t bytes;
  };
  struct Shard {
    mutable std::mutex mu;     // guards what follows
    std::list<Entry> entries;  // the most recently used first
    std::unordered_map<Key, std::list<Entry>::iterator, Hash> by_key;
    size_t bytes = 0;
  };

  static Key KeyOf(const PropertyEntry& property, double time);
  Shard& ShardOf(const Key& key) { return shards_[Hash()(key) % kShards]; }
  const Shard& ShardOf(const Key& key) const { return shards_[Hash()(key) % kShards]; }

  const size_t max_bytes_;  // of a shard
  std::array<Shard, kShards> shards_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_VALUE_CACHE_H_
