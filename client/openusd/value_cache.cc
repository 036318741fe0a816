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

bool ValueCache::IsDefault(uint64_t time) {
  double number;
  std::memcpy(&number, &time, sizeof(number));
  return std::isnan(number);
}

CachedValue* ValueCache::FindIn(const Shard& shard, const Key& key) {
  if (IsDefault(key.time)) return key.property->cached_default;
  const auto found = shard.at_times.find(key);
  return found == shard.at_times.end() ? nullptr : found->second;
}

std::optional<VtValue> ValueCache::Find(const PropertyEntry& property, double time) {
  const Key key = KeyOf(property, time);
  Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mu);
  CachedValue* const found = FindIn(shard, key);
  if (found == nullptr) return std::nullopt;
  found->was_used = true;
  return found->value;
}

bool ValueCache::Holds(const PropertyEntry& property, double time) const {
  const Key key = KeyOf(property, time);
  const Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mu);
  return FindIn(shard, key) != nullptr;
}

void ValueCache::Store(const PropertyEntry& property, double time, const VtValue& value) {
  const Key key = KeyOf(property, time);
  const size_t bytes = BytesOf(property, value);
  if (bytes > max_bytes_) return;
  std::list<CachedValue> evicted;  // destroyed after the lock is released
  Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mu);
  if (FindIn(shard, key) != nullptr) return;
  shard.entries.push_front({&property, key.time, value, bytes, /*was_used=*/false});
  if (IsDefault(key.time)) {
    property.cached_default = &shard.entries.front();
  } else {
    shard.at_times[key] = &shard.entries.front();
  }
  shard.bytes += bytes;
  Shrink(&shard, &evicted);
}

void ValueCache::Shrink(Shard* shard, std::list<CachedValue>* evicted) {
  std::list<CachedValue>& entries = shard->entries;
  while (shard->bytes > max_bytes_) {
    CachedValue& last = entries.back();
    if (last.was_used) {
      last.was_used = false;
      entries.splice(entries.begin(), entries, std::prev(entries.end()));
      continue;
    }
    shard->bytes -= last.bytes;
    Forget(last, shard);
    evicted->splice(evicted->end(), entries, std::prev(entries.end()));
  }
}

void ValueCache::Forget(const CachedValue& value, Shard* shard) {
  if (IsDefault(value.time)) {
    value.property->cached_default = nullptr;
  } else {
    shard->at_times.erase({value.property, value.time});
  }
}

}  // namespace stagedoor::openusd
