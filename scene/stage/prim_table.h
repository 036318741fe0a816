#ifndef STAGEDOOR_SCENE_STAGE_PRIM_TABLE_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "scene/stage/prim_data.h"

namespace stagedoor {

// Finds the prims of a stage by path without interning the path. Takes the place of UsdStage's map
// from paths to prim data.
//
// A hash table with open addressing, keyed by the names of a path's elements. A slot holds the
// prim's address and 80 bits of two hashes with random keys per table. Names are not compared,
// because that would cost several times the look-up: a collision is less likely than a memory
// fault, and clients cannot construct one because they cannot know the keys. Filled while the stage
// is populated, then immutable and thread-safe.
class PrimTable {
 public:
  // The hash of a path, extended element by element.
  struct Hash {
    uint64_t a = 0;
    uint64_t b = 0;
  };

  PrimTable();

  // The hash of the pseudo-root, and that of the root of a prototype. The prims of a prototype hash
  // differently from those of the stage at the same paths.
  Hash root_hash() const { return root_; }
  Hash PrototypeHash(Path source_path) const;
  Hash Extend(Hash parent, std::string_view name) const {
    Hash hash = {parent.a ^ keys_[0], parent.b ^ keys_[1]};
    size_t at = 0;
    for (; at + 8 <= name.size(); at += 8) Take(LoadWord(name.data() + at), &hash);
    Take(LoadWord(name.data() + at, name.size() - at), &hash);
    Take(name.size(), &hash);
    return hash;
  }

  // Makes room for this number of prims. Without it, the table grows step by step, which moves all
  // slots.
  void Reserve(size_t prims);
  // Inserts all descendants of `root`, whose own hash is `hash`; `root` itself is not inserted.
  void InsertBelow(const PrimData& root, Hash hash);
  size_t size() const { return count_; }
  size_t byte_size() const { return slots_.capacity() * sizeof(Slot); }

  // The prim whose path has this hash; null if there is none.
  const PrimData* Find(Hash hash) const;

 private:
  struct Slot {
    uint64_t hash = 0;
    uint64_t prim = 0;  // address and, above it, 16 bits of the other hash; 0 if the slot is empty
  };
  static constexpr int kAddressBits = 48;  // significant bits of a pointer in user space
  static constexpr uint64_t kAddress = (uint64_t{1} << kAddressBits) - 1;

  void Take(uint64_t word, Hash* hash) const {
    hash->a = MultiplyAndFold(hash->a ^ word, keys_[2]);
    hash->b = MultiplyAndFold(hash->b ^ word, keys_[3]);
  }
  size_t FirstSlot(uint64_t hash) const {
    return static_cast<size_t>((static_cast<unsigned __int128>(hash) * slots_.size()) >> 64);
  }
  void Insert(Slot slot);

  uint64_t keys_[4];
  Hash root_;
  std::vector<Slot> slots_;
  size_t count_ = 0;
  size_t room_ = 0;  // the greatest count that fits
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_TABLE_H_
