#include "scene/stage/attribute_source_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/heap_costs.h"

namespace stagedoor {

AttributeSourceTable::AttributeSourceTable(size_t prims, Reservation& memory)
    : memory_(memory),
      // Room for several attributes per prim of a small stage.
      mask_(std::bit_ceil(std::min(8 * prims + 64, 2 * kMostSources)) - 1),
      slots_(std::make_unique<std::atomic<uintptr_t>[]>(mask_ + 1)) {
  memory_.Add((mask_ + 1) * sizeof(uintptr_t));
}

AttributeSourceTable::~AttributeSourceTable() {
  for (size_t i = 0; i <= mask_; ++i) {
    const uintptr_t held = slots_[i].load(std::memory_order_relaxed);
    if (!IsMark(held)) delete reinterpret_cast<const Entry*>(held);
  }
}

bool AttributeSourceTable::Mark(const PrimData& prim, Token name) const {
  const uint64_t hash = Hash(prim, name);
  const uintptr_t mark = MarkOf(hash);
  std::atomic<uintptr_t>* place = nullptr;
  uintptr_t there = 0;
  for (size_t i = 0; i < kProbes; ++i) {
    std::atomic<uintptr_t>& slot = slots_[(hash + i) & mask_];
    const uintptr_t held = slot.load(std::memory_order_relaxed);
    if (held == mark) return true;
    if (held != 0 && (!IsMark(held) || place != nullptr)) continue;
    // If no slot is free, the first mark of another attribute is replaced.
    place = &slot;
    there = held;
    if (held == 0) break;
  }
  // If another thread was faster, the mark is lost, which only delays keeping the source.
  if (place != nullptr) place->compare_exchange_strong(there, mark, std::memory_order_relaxed);
  return false;
}

const AttributeSource* AttributeSourceTable::Keep(const PrimData& prim, Token name,
                                                  AttributeSource& source) const {
  // At most half full, so that probes stay short.
  if (count_.load(std::memory_order_relaxed) > mask_ / 2 || memory_.over()) return nullptr;
  const uint64_t hash = Hash(prim, name);
  uintptr_t mark = MarkOf(hash);
  for (size_t i = 0; i < kProbes; ++i) {
    std::atomic<uintptr_t>& slot = slots_[(hash + i) & mask_];
    if (slot.load(std::memory_order_relaxed) != mark) continue;
    auto entry = std::make_unique<Entry>(Entry{&prim, name, std::move(source)});
    if (slot.compare_exchange_strong(mark, reinterpret_cast<uintptr_t>(entry.get()),
                                     std::memory_order_acq_rel)) {
      count_.fetch_add(1, std::memory_order_relaxed);
      memory_.Add(sizeof(Entry) + kHeapBlockBytes);
      return &entry.release()->source;
    }
    // Another thread has replaced the mark.
    source = std::move(entry->source);
    return nullptr;
  }
  return nullptr;
}

}  // namespace stagedoor
