#ifndef STAGEDOOR_SCENE_FRAME_FRAME_ID_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_ID_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stagedoor {

// Names an object in all frames; see frame.proto. 0 is no object.
using FrameId = uint64_t;
// The set of all lights.
inline constexpr FrameId kAllLights = 1;

// Hashes of paths that are the same on every machine and in every release, because ids are made of
// them. Not protected against collisions that content provokes; FrameIds resolves those.
//
// The hash of a path is that of its parent, extended by its name, so a walk needs no texts of
// paths.
inline constexpr uint64_t kRootHash = 0x5a6e0d1ca11f7a3b;
uint64_t HashOfChild(uint64_t parent, std::string_view name);
// The hash of an absolute prim path, such as "/World/Chair".
uint64_t HashOfPath(std::string_view path);
// Extends a hash by a number, such as another hash.
uint64_t ExtendHash(uint64_t hash, uint64_t by);

// The kinds of objects, whose numbers are parts of ids.
enum class FrameObject : uint8_t {
  kPrim = 1,
  kGeometry = 2,
  kMaterial = 3,
  kLight = 4,
  kLightSet = 5,
  kSubset = 6,
};

// Gives each object of a frame an id of its own. Objects with colliding hashes get other ids, in
// the order in which they ask. Not thread-safe.
class FrameIds {
 public:
  FrameId Make(FrameObject kind, uint64_t hash);

  size_t byte_size() const { return slots_.capacity() * sizeof(FrameId); }

 private:
  bool Insert(FrameId id);
  void Grow();

  std::vector<FrameId> slots_;  // a hash table with open addressing; 0 is a free slot
  size_t size_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_ID_H_
