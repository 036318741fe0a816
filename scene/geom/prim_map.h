#ifndef STAGEDOOR_SCENE_GEOM_PRIM_MAP_H_
#define STAGEDOOR_SCENE_GEOM_PRIM_MAP_H_

#include <cstddef>
#include <vector>

#include "scene/stage/prim.h"

namespace stagedoor {

// A hash map from prims to small values, with open addressing. Entries are never removed. Not
// thread-safe.
template <typename T>
class PrimMap {
 public:
  // Null if the prim has no entry. The pointer is valid until the next Add.
  const T* Find(const Prim& prim) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[SlotOf(prim)];
    return slot.prim.valid() ? &slot.value : nullptr;
  }
  // `prim` must be valid and have no entry yet.
  void Add(const Prim& prim, const T& value) {
    if (2 * (size_ + 1) > slots_.size()) Grow();
    slots_[SlotOf(prim)] = {prim, value};
    ++size_;
  }
  size_t size() const { return size_; }

 private:
  struct Slot {
    Prim prim;
    T value{};
  };
  // The slot of the prim's entry, or the free slot for a new one.
  size_t SlotOf(const Prim& prim) const {
    const size_t mask = slots_.size() - 1;
    size_t i = (prim.hash() >> 20) & mask;
    while (slots_[i].prim.valid() && !(slots_[i].prim == prim)) i = (i + 1) & mask;
    return i;
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.prim.valid()) slots_[SlotOf(slot.prim)] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_PRIM_MAP_H_
