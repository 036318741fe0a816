// PrimTable: finds the prims of a stage by path text, without interning anything.
#ifndef STAGEDOOR_SCENE_STAGE_PRIM_TABLE_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scene/stage/prim_data.h"

namespace stagedoor {

// Open addressing over the hash of the path's element names; a slot is the prim's address and above
// it some bits of the hash. Filled while the stage is built, then immutable. Prims of prototypes
// are in it under the paths of their source.
class PrimTable {
 public:
  // The hash of a path is Extend()ed from that of its parent.
  static constexpr uint64_t kRootHash = 0x9ae16a3b2f90404fULL;
  static uint64_t Extend(uint64_t parent, uint64_t name_hash) {
    const uint64_t h = (parent ^ name_hash) * 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 29);
  }
  static uint64_t HashOf(Path path);

  // Inserts everything below `root` (not itself).
  void InsertBelow(const PrimData& root);
  size_t size() const { return count_; }

  // The prim whose path has this hash and whose trailing elements are `tail` ("A/B", no slash in
  // front) below `above`, a prim or prototype root; null when there is none.
  const PrimData* Find(uint64_t hash, std::string_view tail, const PrimData* above) const;

 private:
  static constexpr int kAddressBits = 48;  // of a pointer
  static constexpr uint64_t kAddress = (uint64_t{1} << kAddressBits) - 1;
  static const PrimData* PrimOf(uint64_t slot) {
    return reinterpret_cast<const PrimData*>(slot & kAddress);
  }
  void Reserve(size_t prims);
  void Insert(uint64_t hash, const PrimData* prim);
  static bool Matches(const PrimData* prim, std::string_view tail, const PrimData* above);

  std::vector<uint64_t> slots_;
  size_t count_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_TABLE_H_
