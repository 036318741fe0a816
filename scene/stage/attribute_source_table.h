#ifndef STAGEDOOR_SCENE_STAGE_ATTRIBUTE_SOURCE_TABLE_H_
#define STAGEDOOR_SCENE_STAGE_ATTRIBUTE_SOURCE_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/hash.h"
#include "base/reservation.h"
#include "scene/paths/token.h"
#include "scene/stage/prim_data.h"
#include "scene/value_resolution/attribute_source.h"

namespace stagedoor {

// The compiled sources of frequently queried attributes of a snapshot, found by prim and name. Lets
// ordinary value queries be as fast as OpenUSD's UsdAttributeQuery. (AttributeQueryTable finds
// whole queries, by the text of a path.)
//
// The first query of an attribute leaves a mark, the second one stores its compiled source; later
// queries find it with one probe. Holds up to kMostSources sources, none with an array in memory;
// other attributes are compiled for each query. Thread-safe and lock-free. Entries are never
// evicted; the table lives as long as the snapshot.
class AttributeSourceTable {
 public:
  static constexpr size_t kMostSources = 32768;

  // `prims` is the number of prims of the snapshot. The table is charged to `memory`, which must
  // outlive it. While the stages exceed their memory limit, nothing is added.
  AttributeSourceTable(size_t prims, Reservation& memory);
  ~AttributeSourceTable();
  AttributeSourceTable(const AttributeSourceTable&) = delete;
  AttributeSourceTable& operator=(const AttributeSourceTable&) = delete;

  // Null if no source is stored for the attribute.
  const AttributeSource* Find(const PrimData& prim, Token name) const {
    const size_t hash = Hash(prim, name);
    for (size_t i = 0; i < kProbes; ++i) {
      const uintptr_t held = slots_[(hash + i) & mask_].load(std::memory_order_acquire);
      if (held == 0) return nullptr;
      if (IsMark(held)) continue;
      const Entry& entry = *reinterpret_cast<const Entry*>(held);
      if (entry.prim == &prim && entry.name == name) return &entry.source;
    }
    return nullptr;
  }

  // Leaves a mark for the attribute. Returns true if there was one, so its source is worth keeping.
  bool Mark(const PrimData& prim, Token name) const;
  // Moves `source` to the slot of the mark and returns the stored source. If the mark was replaced
  // or there is no room, returns null and leaves `source` unchanged.
  const AttributeSource* Keep(const PrimData& prim, Token name, AttributeSource& source) const;

  size_t size() const { return count_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    const PrimData* prim;
    Token name;
    AttributeSource source;
  };
  static constexpr size_t kProbes = 8;

  static bool IsMark(uintptr_t held) { return (held & 1) != 0; }
  static uint64_t Hash(const PrimData& prim, Token name) { return HashCombine(name.hash(), &prim); }
  static uintptr_t MarkOf(uint64_t hash) { return static_cast<uintptr_t>(hash >> 16) | 1; }

  Reservation& memory_;
  const size_t mask_;
  // Each is 0 (empty), a mark (odd) or an Entry*.
  const std::unique_ptr<std::atomic<uintptr_t>[]> slots_;
  mutable std::atomic<size_t> count_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_ATTRIBUTE_SOURCE_TABLE_H_
