#ifndef STAGEDOOR_SCENE_STAGE_PRIM_MEMO_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_MEMO_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/hash.h"
#include "scene/stage/prim_data.h"

namespace stagedoor {

// One immutable T per prim of a snapshot, filled in on demand.
//
// All instances of a prototype share the entries of its prims. Thread-safe and lock-free: if two
// threads compute the same entry, the first to publish it wins. Entries are never evicted; the memo
// lives as long as the snapshot (DerivedData).
template <typename T>
class PrimMemo {
 public:
  // `prims` is the greatest number of entries that must fit.
  explicit PrimMemo(size_t prims)
      : mask_(std::bit_ceil(2 * prims + 64) - 1), slots_(std::make_unique<Slot[]>(mask_ + 1)) {}
  ~PrimMemo() {
    for (size_t i = 0; i <= mask_; ++i) delete slots_[i].value.load(std::memory_order_relaxed);
  }
  PrimMemo(const PrimMemo&) = delete;
  PrimMemo& operator=(const PrimMemo&) = delete;

  // Null if the prim has no entry.
  const T* Find(const PrimData& prim) const {
    for (size_t i = Hash(prim), probes = 0; probes <= mask_; i = (i + 1) & mask_, ++probes) {
      const PrimData* key = slots_[i].key.load(std::memory_order_acquire);
      if (key == &prim) return slots_[i].value.load(std::memory_order_acquire);
      if (!key) return nullptr;
    }
    return nullptr;
  }

  // Stores `value` unless another thread was faster; returns the entry, and takes `value` only if
  // it became the entry. Returns null if the table is full.
  const T* Put(const PrimData& prim, std::unique_ptr<const T>& value) {
    for (size_t i = Hash(prim), probes = 0; probes <= mask_; i = (i + 1) & mask_, ++probes) {
      const PrimData* key = nullptr;
      if (!slots_[i].key.compare_exchange_strong(key, &prim, std::memory_order_acq_rel) &&
          key != &prim) {
        continue;
      }
      const T* there = nullptr;
      if (slots_[i].value.compare_exchange_strong(there, value.get(), std::memory_order_acq_rel)) {
        return value.release();
      }
      return there;
    }
    return nullptr;
  }

  // Size of the table, without the entries.
  size_t byte_size() const { return (mask_ + 1) * sizeof(Slot); }

 private:
  static constexpr uint64_t kTogether = 8;  // slots; more would make collisions longer
  struct Slot {
    std::atomic<const PrimData*> key{nullptr};
    std::atomic<const T*> value{nullptr};
  };
  // Prims that are beside each other in memory, mostly siblings, have slots beside each other, so
  // that a walk over them reads each cache line once.
  size_t Hash(const PrimData& prim) const {
    const uint64_t place = reinterpret_cast<uintptr_t>(&prim) / sizeof(PrimData);
    const uint64_t group = SpreadBits(place / kTogether) >> 20;
    return static_cast<size_t>(group * kTogether + place % kTogether) & mask_;
  }

  const size_t mask_;
  const std::unique_ptr<Slot[]> slots_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_MEMO_H_
