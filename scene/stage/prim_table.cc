#include "scene/stage/prim_table.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/hash.h"

namespace stagedoor {

PrimTable::PrimTable() {
  std::random_device random;
  // Odd, so that no key is 0, which would make products 0.
  for (uint64_t& key : keys_) key = (uint64_t{random()} << 32 | random()) | 1;
  root_ = {MultiplyAndFold(keys_[0], keys_[2]), MultiplyAndFold(keys_[1], keys_[3])};
}

PrimTable::Hash PrimTable::PrototypeHash(Path source_path) const {
  Hash hash = {~root_.a, ~root_.b};
  for (const Path prefix : source_path.Prefixes()) hash = Extend(hash, prefix.name().text());
  return {~hash.a, ~hash.b};  // differs from the hash of a prim at that path in another prototype
}

void PrimTable::Reserve(size_t prims) {
  if (prims <= room_) return;
  room_ = prims;
  std::vector<Slot> old(prims + prims / 4 + 16);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.prim != 0) Insert(slot);
  }
}

void PrimTable::Insert(Slot slot) {
  size_t i = FirstSlot(slot.hash);
  while (slots_[i].prim != 0) i = i + 1 == slots_.size() ? 0 : i + 1;
  slots_[i] = slot;
}

void PrimTable::InsertBelow(const PrimData& root, Hash hash) {
  std::vector<std::pair<const PrimData*, Hash>> parents = {{&root, hash}};
  while (!parents.empty()) {
    const auto [parent, above] = parents.back();
    parents.pop_back();
    count_ += parent->child_count;
    if (count_ > room_) Reserve(count_ + count_ / 2);
    for (const PrimData& child : parent->child_span()) {
      const Hash own = Extend(above, child.name().text());
      Insert({own.a, reinterpret_cast<uint64_t>(&child) | (own.b & ~kAddress)});
      if (child.child_count > 0) parents.emplace_back(&child, own);
    }
  }
}

const PrimData* PrimTable::Find(Hash hash) const {
  if (slots_.empty()) return nullptr;
  for (size_t i = FirstSlot(hash.a); slots_[i].prim != 0; i = i + 1 == slots_.size() ? 0 : i + 1) {
    const Slot& slot = slots_[i];
    if (slot.hash == hash.a && ((slot.prim ^ hash.b) & ~kAddress) == 0) {
      return reinterpret_cast<const PrimData*>(slot.prim & kAddress);
    }
  }
  return nullptr;
}

}  // namespace stagedoor
