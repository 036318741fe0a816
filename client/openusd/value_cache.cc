#include "value_cache.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "prim_entry.h"
#include "value_types.h"

namespace stagedoor::openusd {
namespace {

size_t ElementBytes(const PropertyEntry& attribute, const VtValue& array) {
  const std::type_info& type = array.GetTypeid();
  const bool is_declared = attribute.type != nullptr && type == *attribute.type;
  const ValueType* const numbers = is_declared ? attribute.numbers : FindValueType(type);
  if (numbers != nullptr) return numbers->element_bytes;
  return type == typeid(VtArray<TfToken>) ? sizeof(TfToken) : sizeof(SdfAssetPath);
}

}  // namespace

size_t BytesOf(const PropertyEntry& attribute, const VtValue& value) {
  if (value.IsArrayValued()) {
    return kEntryBytes + value.GetArraySize() * ElementBytes(attribute, value);
  }
  return value.IsHolding<std::string>() ? kEntryBytes + value.UncheckedGet<std::string>().size()
                                        : kEntryBytes;
}

size_t ValueCache::Hash::operator()(const Key& key) const {
  uint64_t mixed = (reinterpret_cast<uintptr_t>(key.property) + key.time) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 32) * 0xc2b2ae3d27d4eb4fu;
  return mixed ^ mixed >> 29;
}

ValueCache::Key ValueCache::KeyOf(const PropertyEntry& property, double time) {
  if (std::isnan(time)) time = std::numeric_limits<double>::quiet_NaN();
  if (time == 0) time = 0;  // -0 is the same time
  Key key{&property, 0};
  std::memcpy(&key.time, &time, sizeof(time));
  return key;
}

std::optional<VtValue> ValueCache::Find(const PropertyEntry& property, double time) {
  const Key key = KeyOf(property, time);
  Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mu);
  const auto found = shard.by_key.find(key);
  if (found == shard.by_key.end()) return std::nullopt;
  shard.entries.splice(shard.entries.begin(), shard.entries, found->second);
  return found->second->value;
}

bool ValueCache::Holds(const PropertyEntry& property, double time) const {
  const Key key = KeyOf(property, time);
  const Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mu);
  return shard.by_key.find(key) != shard.by_key.end();
}

void ValueCache::Store(const PropertyEntry& property, double time, const VtValue& value) {
  const Key key = KeyOf(property, time);
  const size_t bytes = BytesOf(property, value);
  if (bytes > max_bytes_) return;
  std::list<Entry> evicted;  // destroyed after the lock is released
  Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mu);
  if (shard.by_key.find(key) != shard.by_key.end()) return;
  shard.entries.push_front({key, value, bytes});
  shard.by_key[key] = shard.entries.begin();
  shard.bytes += bytes;
  while (shard.bytes > max_bytes_) {
    shard.bytes -= shard.entries.back().bytes;
    shard.by_key.erase(shard.entries.back().key);
    evicted.splice(evicted.end(), shard.entries, std::prev(shard.entries.end()));
  }
}

}  // namespace stagedoor::openusd
