#ifndef STAGEDOOR_SCENE_PATHS_POINTER_SET_H_
#define STAGEDOOR_SCENE_PATHS_POINTER_SET_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"

namespace stagedoor {

// A grow-only set of pointers: an open-addressing table in one array, at most three quarters full.
// Unlike Abseil's tables, it is unchanged if an allocation fails. Not thread-safe.
template <typename T>
class PointerSet {
 public:
  size_t size() const { return size_; }

  bool Contains(const T* pointer) const {
    return !slots_.empty() && slots_[SlotOf(slots_, pointer)] != nullptr;
  }

  // Makes room for one more pointer, so that the next Add cannot fail.
  void Reserve() {
    if ((size_ + 1) * 4 <= slots_.size() * 3) return;
    std::vector<const T*> larger(slots_.empty() ? 4 : slots_.size() * 2);
    for (const T* held : slots_) {
      if (held != nullptr) larger[SlotOf(larger, held)] = held;
    }
    slots_.swap(larger);
  }

  // Adds a pointer that is not in the set; call Reserve first.
  void Add(const T* pointer) {
    slots_[SlotOf(slots_, pointer)] = pointer;
    ++size_;
  }

  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const T* held : slots_) {
      if (held != nullptr) visit(held);
    }
  }

 private:
  // The slot of the pointer, or the empty slot where it would be inserted.
  static size_t SlotOf(const std::vector<const T*>& slots, const T* pointer) {
    const size_t mask = slots.size() - 1;
    size_t i = (SpreadBits(pointer) >> 32) & mask;
    while (slots[i] != nullptr && slots[i] != pointer) i = (i + 1) & mask;
    return i;
  }

  std::vector<const T*> slots_;  // power-of-two size; null if the slot is empty
  size_t size_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_POINTER_SET_H_
