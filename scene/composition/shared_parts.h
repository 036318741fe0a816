#ifndef STAGEDOOR_SCENE_COMPOSITION_SHARED_PARTS_H_
#define STAGEDOOR_SCENE_COMPOSITION_SHARED_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/reservation.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/map_function.h"
#include "scene/composition/prim_index.h"
#include "scene/composition/prim_names.h"
#include "scene/paths/token.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// One copy each of the equal parts of a composer's indexes: mappings, names of children and
// properties, sets of layer stacks, and the rare data of instances.
//
// An arc has the same mapping wherever it is composed, so most parts of a new index exist already.
// The tables grow with the indexes and end with the composer; parts that indexes hold live on.
// Thread-safe.
class SharedParts {
 public:
  // `memory`, which may be null, is charged with the parts and outlives them and the indexes.
  explicit SharedParts(MemoryPool* memory = nullptr) : charge_(memory) {}
  MemoryPool* memory() const { return charge_.pool(); }

  // The shared mapping equal to `map`, which is `map` itself if it is the first.
  MapFunction Share(const MapFunction& map);
  // The shared lists of these names; null if both are empty.
  RefPtr<const PrimNames> Share(std::span<const Token> children, std::span<const Token> properties);
  // The shared set of these stacks, which are distinct, in this order.
  std::shared_ptr<const LayerStackSet> Share(const std::vector<const LayerStack*>& stacks);
  // Frees the tables, so that parts that are in no index end too.
  void Clear();
  // Null if `rare` is empty. Data with errors is not shared, since messages name the prim.
  std::shared_ptr<const PrimIndex::Rare> Share(PrimIndex::Rare rare);

 private:
  // A hash table with open addressing, at most three quarters full. The hashes are kept apart from
  // the mappings, so that a search seldom touches mappings other than the one it finds.
  struct Maps {
    Mutex mu;
    std::vector<MapFunction> slots ABSL_GUARDED_BY(mu);
    std::vector<uint32_t> hashes ABSL_GUARDED_BY(mu);
    size_t count ABSL_GUARDED_BY(mu) = 0;

    // Frees the table. Returns its bytes and those of the parts that nothing else refers to.
    size_t Clear() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
    void Grow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
    size_t Find(const MapFunction& map, uint32_t hash) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
  };
  struct Names {
    Mutex mu;
    std::unordered_multimap<size_t, RefPtr<const PrimNames>> lists ABSL_GUARDED_BY(mu);  // by hash

    // As Maps::Clear.
    size_t Clear() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
  };
  static constexpr size_t kShards = 16;

  Reservation charge_;
  Maps maps_[kShards];
  Names names_[kShards];
  Mutex mu_;
  std::map<std::vector<const LayerStack*>, std::shared_ptr<const LayerStackSet>> stacks_
      ABSL_GUARDED_BY(mu_);
  // Keyed by the bytes of their members.
  std::unordered_map<std::string, std::shared_ptr<const PrimIndex::Rare>> rare_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARED_PARTS_H_
