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

// A pointer to a T for each prim of a snapshot, filled in on demand; several prims may have the
// same. Does not own what it points to.
//
// All instances of a prototype share the entries of its prims. Thread-safe and lock-free: if two
// threads compute the same entry, the first to publish it wins. Entries are never evicted; the
// table lives as long as the snapshot (DerivedData).
template <typename T>
class PrimPointers {
 public:
  // `prims` is the greatest number of entries that must fit.
  explicit PrimPointers(size_t prims)
      : mask_(std::bit_ceil(2 * prims + 64) - 1), slots_(std::make_unique<Slot[]>(mask_ + 1)) {}
  PrimPointers(const PrimPointers&) = delete;
  PrimPointers& operator=(const PrimPointers&) = delete;

  // Null if the prim has no entry.
  const T* Find(const PrimData& prim) const {
    for (size_t i = Hash(prim), probes = 0; probes <= mask_; i = (i + 1) & mask_, ++probes) {
      const PrimData* key = slots_[i].key.load(std::memory_order_acquire);
      if (key == &prim) return slots_[i].value.load(std::memory_order_acquire);
      if (!key) return nullptr;
    }
    return nullptr;
  }

  // Prefetches the slot that Find reads first into the processor's cache.
  void Prefetch(const PrimData& prim) const { __builtin_prefetch(&slots_[Hash(prim)]); }

  // Stores `value` unless another thread was faster; returns the entry. Null if the table is full.
  const T* Put(const PrimData& prim, const T& value) {
    for (size_t i = Hash(prim), probes = 0; probes <= mask_; i = (i + 1) & mask_, ++probes) {
      const PrimData* key = nullptr;
      if (!slots_[i].key.compare_exchange_strong(key, &prim, std::memory_order_acq_rel) &&
          key != &prim) {
        continue;
      }
      const T* there = nullptr;
      const bool is_first =
          slots_[i].value.compare_exchange_strong(there, &value, std::memory_order_acq_rel);
      return is_first ? &value : there;
    }
    return nullptr;
  }

  // Calls visit(value) for each entry.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (size_t i = 0; i <= mask_; ++i) {
      const T* value = slots_[i].value.load(std::memory_order_acquire);
      if (value != nullptr) visit(value);
    }
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

// One immutable T per prim of a snapshot, filled in on demand: PrimPointers that owns its entries.
template <typename T>
class PrimMemo {
 public:
  explicit PrimMemo(size_t prims) : pointers_(prims) {}
  ~PrimMemo() {
    pointers_.ForEach([](const T* value) { delete value; });
  }

  const T* Find(const PrimData& prim) const { return pointers_.Find(prim); }
  void Prefetch(const PrimData& prim) const { pointers_.Prefetch(prim); }

  // As PrimPointers::Put; takes `value` only if it became the entry.
  const T* Put(const PrimData& prim, std::unique_ptr<const T>& value) {
    const T* kept = pointers_.Put(prim, *value);
    if (kept == value.get()) (void)value.release();
    return kept;
  }

  size_t byte_size() const { return pointers_.byte_size(); }

 private:
  PrimPointers<T> pointers_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_MEMO_H_
