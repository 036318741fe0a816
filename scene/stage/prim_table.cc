#include "scene/stage/prim_table.h"

#include <bit>
#include <utility>

namespace stagedoor {

uint64_t PrimTable::HashOf(Path path) {
  return path.depth() == 0 ? kRootHash : Extend(HashOf(path.Parent()), path.name().hash());
}

void PrimTable::Reserve(size_t prims) {
  const size_t wanted = std::bit_ceil(prims * 2 + 16);
  if (wanted <= slots_.size()) return;
  std::vector<Slot> old(wanted);
  old.swap(slots_);
  count_ = 0;
  for (const Slot& slot : old) {
    if (slot.prim) Insert(slot.hash, slot.prim);
  }
}

void PrimTable::Insert(uint64_t hash, const PrimData* prim) {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].prim) i = (i + 1) & mask;
  slots_[i] = {hash, prim};
  ++count_;
}

void PrimTable::InsertBelow(const PrimData& root) {
  std::vector<std::pair<const PrimData*, uint64_t>> queue = {{&root, HashOf(root.path)}};
  while (!queue.empty()) {
    const auto [prim, hash] = queue.back();
    queue.pop_back();
    Reserve(count_ + prim->child_count);
    for (const PrimData& child : prim->child_span()) {
      const uint64_t child_hash = Extend(hash, child.name().hash());
      Insert(child_hash, &child);
      if (child.child_count > 0) queue.emplace_back(&child, child_hash);
    }
  }
}

bool PrimTable::Matches(const PrimData* prim, std::string_view tail, const PrimData* above) {
  while (prim && prim != above) {
    const std::string_view name = prim->name().text();
    if (tail.size() < name.size() || tail.substr(tail.size() - name.size()) != name) return false;
    tail.remove_suffix(name.size());
    prim = prim->parent;
    if (prim == above) return tail.empty();
    if (tail.empty() || tail.back() != '/') return false;
    tail.remove_suffix(1);
  }
  return false;
}

const PrimData* PrimTable::Find(uint64_t hash, std::string_view tail, const PrimData* above) const {
  if (slots_.empty()) return nullptr;
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].prim; i = (i + 1) & mask) {
    if (slots_[i].hash == hash && Matches(slots_[i].prim, tail, above)) return slots_[i].prim;
  }
  return nullptr;
}

}  // namespace stagedoor
