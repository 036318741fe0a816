// SharedParts: what the indexes of one composer have in common, each kept once: mappings, and sets
// of layer stacks.
//
// The same arc gives the same mapping wherever it is composed, so most of what a new index brings
// is there already. Grows with the indexes and goes with the composer; what it gave out stays.
// Thread-safe.
#ifndef STAGEDOOR_SCENE_COMPOSITION_SHARED_PARTS_H_
#define STAGEDOOR_SCENE_COMPOSITION_SHARED_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/memory_account.h"
#include "base/mutex.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/map_function.h"
#include "scene/composition/prim_index.h"

namespace stagedoor {

class SharedParts {
 public:
  // `memory`, which may be null, is charged with the parts, and outlives them and the indexes.
  explicit SharedParts(MemoryAccount* memory = nullptr) : charge_(memory) {}
  MemoryAccount* memory() const { return charge_.account(); }

  // The first mapping met that is equal to this one.
  MapFunction Share(const MapFunction& map);
  // Of different stacks, in their order.
  std::shared_ptr<const LayerStackSet> Share(const std::vector<const LayerStack*>& stacks);
  // Null for what is empty; one for all that are equal and without errors.
  std::shared_ptr<const PrimIndex::Rare> Share(PrimIndex::Rare rare);

 private:
  // Open addressing, at most three quarters full; the hashes lie apart, so that a search seldom
  // looks at other mappings.
  struct Maps {
    Mutex mu;
    std::vector<MapFunction> slots ABSL_GUARDED_BY(mu);
    std::vector<uint32_t> hashes ABSL_GUARDED_BY(mu);
    size_t count ABSL_GUARDED_BY(mu) = 0;

    void Grow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
    size_t Find(const MapFunction& map, uint32_t hash) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
  };
  static constexpr size_t kShards = 16;

  MemoryCharge charge_;
  Maps maps_[kShards];
  Mutex mu_;
  std::map<std::vector<const LayerStack*>, std::shared_ptr<const LayerStackSet>> stacks_
      ABSL_GUARDED_BY(mu_);
  // By what is in them.
  std::unordered_map<std::string, std::shared_ptr<const PrimIndex::Rare>> rare_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARED_PARTS_H_
