#include "scene/composition/shared_parts.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/hash.h"
#include "base/heap_costs.h"

namespace stagedoor {
namespace {

// Between three eighths and three quarters of the slots are in use, so about half on average.
constexpr size_t kBytesPerSlot = 2 * (sizeof(MapFunction) + sizeof(uint32_t));

// Set in the hash of every slot that holds something.
constexpr uint32_t kUsed = uint32_t{1} << 31;

// Tokens and paths are interned, so equal ones have equal bytes.
template <typename T>
void AppendBytes(const T& value, std::string* key) {
  static_assert(std::is_trivially_copyable_v<T>);
  key->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Empties a container, also of its memory.
template <typename Container>
void Free(Container* container) {
  Container().swap(*container);
}

size_t SetBytes(const LayerStackSet& stacks) {
  return kHeapBlockBytes + stacks.size() * sizeof(stacks[0]);
}

// A hash of the addresses of interned names.
size_t HashOf(std::span<const Token> names) {
  return HashBytes({reinterpret_cast<const char*>(names.data()), names.size_bytes()});
}

}  // namespace

// The slot of a mapping, or the empty slot that it would take.
size_t SharedParts::Maps::Find(const MapFunction& map, uint32_t hash) const {
  const size_t mask = slots.size() - 1;
  // The remainder by kShards is the same for all mappings of this shard.
  size_t at = (hash / kShards) & mask;
  while (hashes[at] != 0 && !(hashes[at] == hash && slots[at] == map)) at = (at + 1) & mask;
  return at;
}

void SharedParts::Maps::Grow() {
  const size_t size = std::max<size_t>(16, 2 * slots.size());
  std::vector<MapFunction> old(size);
  std::vector<uint32_t> old_hashes(size, 0);
  old.swap(slots);
  old_hashes.swap(hashes);
  for (size_t i = 0; i < old.size(); ++i) {
    if (old_hashes[i] == 0) continue;
    size_t at = (old_hashes[i] / kShards) & (size - 1);
    while (hashes[at] != 0) at = (at + 1) & (size - 1);
    slots[at] = std::move(old[i]);
    hashes[at] = old_hashes[i];
  }
}

size_t SharedParts::Maps::Clear() {
  size_t freed = count * kBytesPerSlot;
  for (const MapFunction& map : slots) {
    if (map.is_unique()) freed += map.byte_size();
  }
  Free(&slots);
  Free(&hashes);
  count = 0;
  return freed;
}

size_t SharedParts::Names::Clear() {
  size_t freed = lists.size() * kNodeBytes;
  for (const auto& [hash, list] : lists) {
    if (list->Unique()) freed += list->byte_size();
  }
  Free(&lists);
  return freed;
}

void SharedParts::Clear() {
  size_t freed = 0;
  for (size_t i = 0; i < kShards; ++i) {
    {
      MutexLock lock(maps_[i].mu);
      freed += maps_[i].Clear();
    }
    MutexLock lock(names_[i].mu);
    freed += names_[i].Clear();
  }
  MutexLock lock(mu_);
  for (const auto& [key, stacks] : stacks_) {
    freed += kNodeBytes + key.size() * sizeof(void*);
    if (stacks.use_count() == 1) freed += SetBytes(*stacks);
  }
  for (const auto& [key, rare] : rare_) {
    freed += kNodeBytes + key.size();
    if (rare.use_count() == 1) freed += rare->byte_size();
  }
  Free(&stacks_);
  Free(&rare_);
  charge_.Shrink(freed);
}

MapFunction SharedParts::Share(const MapFunction& map) {
  // Most mappings of a child come from its parent's index and are shared already, which spares the
  // lock.
  if (map.IsNull() || map.is_shared()) return map;
  const uint32_t hash = static_cast<uint32_t>(map.hash()) | kUsed;
  Maps& maps = maps_[hash % kShards];
  MutexLock lock(maps.mu);
  if (4 * (maps.count + 1) > 3 * maps.slots.size()) maps.Grow();
  const size_t at = maps.Find(map, hash);
  if (maps.hashes[at] == 0) {
    map.set_shared();
    maps.slots[at] = map;
    maps.hashes[at] = hash;
    ++maps.count;
    charge_.Add(map.byte_size() + kBytesPerSlot);
  }
  return maps.slots[at];
}

RefPtr<const PrimNames> SharedParts::Share(std::span<const Token> children,
                                           std::span<const Token> properties) {
  if (children.empty() && properties.empty()) return {};
  const size_t hash =
      HashCombine(HashCombine(HashOf(children), HashOf(properties)), children.size());
  Names& names = names_[hash % kShards];
  MutexLock lock(names.mu);
  const auto [begin, end] = names.lists.equal_range(hash);
  const auto found = std::find_if(begin, end, [&](const auto& entry) {
    return std::ranges::equal(entry.second->children(), children) &&
           std::ranges::equal(entry.second->properties(), properties);
  });
  if (found != end) return found->second;
  RefPtr<const PrimNames> made = MakeRef<const PrimNames>(children, properties);
  charge_.Add(kNodeBytes + made->byte_size());
  return names.lists.emplace(hash, std::move(made))->second;
}

std::shared_ptr<const LayerStackSet> SharedParts::Share(
    const std::vector<const LayerStack*>& stacks) {
  MutexLock lock(mu_);
  std::shared_ptr<const LayerStackSet>& known = stacks_[stacks];
  if (known) return known;
  auto made = std::make_shared<LayerStackSet>();
  made->reserve(stacks.size());
  for (const LayerStack* stack : stacks) made->push_back(stack->shared_from_this());
  known = std::move(made);
  charge_.Add(kNodeBytes + stacks.size() * sizeof(void*) + SetBytes(*known));
  return known;
}

std::shared_ptr<const PrimIndex::Rare> SharedParts::Share(PrimIndex::Rare rare) {
  if (rare.Empty()) return nullptr;
  // Messages name the prim, so errors never repeat.
  if (!rare.errors.empty()) return std::make_shared<const PrimIndex::Rare>(std::move(rare));
  std::string key;
  for (const PrimIndex::InstanceArc& arc : rare.instance_arcs) {
    AppendBytes(arc.type, &key);
    AppendBytes(arc.stack, &key);
    AppendBytes(arc.path, &key);
    AppendBytes(arc.offset, &key);
  }
  // The lengths keep lists from being mistaken for one another.
  AppendBytes(rare.instance_arcs.size(), &key);
  for (const Path instance : rare.instances) AppendBytes(instance, &key);
  AppendBytes(rare.instances.size(), &key);
  for (const auto& [set, variant] : rare.instance_selections) {
    AppendBytes(set, &key);
    AppendBytes(variant, &key);
  }
  MutexLock lock(mu_);
  const size_t key_bytes = key.size();
  std::shared_ptr<const PrimIndex::Rare>& known = rare_[std::move(key)];
  if (!known) {
    known = std::make_shared<const PrimIndex::Rare>(std::move(rare));
    charge_.Add(kNodeBytes + key_bytes + known->byte_size());
  }
  return known;
}

}  // namespace stagedoor
