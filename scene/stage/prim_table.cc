#include "scene/stage/prim_table.h"

#include <bit>
#include <utility>

namespace stagedoor {

uint64_t PrimTable::HashOf(Path path) {
  return path.depth() == 0 ? kRootHash : Extend(HashOf(path.Parent()), path.name().hash());
}

void PrimTable::Reserve(size_t prims) {
  const size_t wanted = std::bit_ceil(prims + prims / 3 + 16);
  if (wanted <= slots_.size()) return;
  std::vector<uint64_t> old(wanted);
  old.swap(slots_);
  count_ = 0;
  for (const uint64_t slot : old) {
    if (slot != 0) Insert(HashOf(PrimOf(slot)->path), PrimOf(slot));
  }
}

void PrimTable::Insert(uint64_t hash, const PrimData* prim) {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i] != 0) i = (i + 1) & mask;
  slots_[i] = reinterpret_cast<uint64_t>(prim) | (hash & ~kAddress);
  ++count_;
}

void PrimTable::InsertBelow(const PrimData& root) {
  // Parents with the hashes of their paths.
  std::vector<std::pair<const PrimData*, uint64_t>> parents = {{&root, HashOf(root.path)}};
  size_t prims = 0;
  for (size_t i = 0; i < parents.size(); ++i) {
    const auto [parent, hash] = parents[i];
    prims += parent->child_count;
    for (const PrimData& child : parent->child_span()) {
      if (child.child_count > 0) parents.emplace_back(&child, Extend(hash, child.name().hash()));
    }
  }
  Reserve(count_ + prims);
  for (const auto& [parent, hash] : parents) {
    for (const PrimData& child : parent->child_span()) {
      Insert(Extend(hash, child.name().hash()), &child);
    }
  }
}

namespace {

bool TakeName(std::string_view name, std::string_view* tail) {
  if (!tail->ends_with(name)) return false;
  tail->remove_suffix(name.size());
  return true;
}

bool TakeSlash(std::string_view* tail) {
  if (tail->empty() || tail->back() != '/') return false;
  tail->remove_suffix(1);
  return true;
}

// Whether the path is "/" and `tail`.
bool IsWholePath(Path path, std::string_view tail) {
  for (size_t depth = path.depth(); depth > 0; --depth, path = path.Parent()) {
    if (!TakeName(path.name().text(), &tail)) return false;
    if (depth > 1 && !TakeSlash(&tail)) return false;
  }
  return tail.empty();
}

}  // namespace

bool PrimTable::Matches(const PrimData* prim, std::string_view tail, const PrimData* above) {
  // Outside of prototypes the path says it all, and is closer than the prims above.
  if (above->Has(kPrimPseudoRoot)) {
    return !prim->Has(kPrimInPrototype) && IsWholePath(prim->path, tail);
  }
  for (; prim && prim != above; prim = prim->parent) {
    if (!TakeName(prim->name().text(), &tail)) return false;
    if (prim->parent == above) return tail.empty();
    if (!TakeSlash(&tail)) return false;
  }
  return false;
}

const PrimData* PrimTable::Find(uint64_t hash, std::string_view tail, const PrimData* above) const {
  if (slots_.empty()) return nullptr;
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i] != 0; i = (i + 1) & mask) {
    if ((slots_[i] & ~kAddress) != (hash & ~kAddress)) continue;
    if (Matches(PrimOf(slots_[i]), tail, above)) return PrimOf(slots_[i]);
  }
  return nullptr;
}

}  // namespace stagedoor
