// SourceMemo: the compiled sources of attributes that a snapshot was asked for again and again.
//
// An attribute that is asked for once leaves a mark, the second time its source is kept, from then
// on a look-up is a probe. Bounded: at most kMostSources, none that holds an array; what finds no
// room is compiled each time. Lock-free; never shrinks; lives as long as the snapshot.
#ifndef STAGEDOOR_SCENE_STAGE_SOURCE_MEMO_H_
#define STAGEDOOR_SCENE_STAGE_SOURCE_MEMO_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/memory_account.h"
#include "scene/paths/token.h"
#include "scene/stage/prim_data.h"
#include "scene/value_resolution/attribute_source.h"

namespace stagedoor {

class SourceMemo {
 public:
  static constexpr size_t kMostSources = 32768;

  // For a snapshot of so many prims, charged to `memory`, which outlives the memo. While stages
  // hold more than they may, nothing is added.
  SourceMemo(size_t prims, MemoryCharge& memory);
  ~SourceMemo();
  SourceMemo(const SourceMemo&) = delete;
  SourceMemo& operator=(const SourceMemo&) = delete;

  // Null unless kept.
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

  // Leaves the mark; true if it was there, hence Keep is worth it.
  bool Mark(const PrimData& prim, Token name) const;
  // Keeps `source` in the place of the mark and returns it; null, and `source` as it was, where the
  // mark is gone or there is no room.
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
  static uint64_t Hash(const PrimData& prim, Token name) {
    const uint64_t mixed = (reinterpret_cast<uintptr_t>(&prim) ^ name.hash()) * 0x9e3779b97f4a7c15;
    return mixed ^ (mixed >> 32);
  }
  static uintptr_t MarkOf(uint64_t hash) { return static_cast<uintptr_t>(hash >> 16) | 1; }

  MemoryCharge& memory_;
  const size_t mask_;
  // Each 0, a mark (odd), or an Entry*.
  const std::unique_ptr<std::atomic<uintptr_t>[]> slots_;
  mutable std::atomic<size_t> count_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_SOURCE_MEMO_H_
