#ifndef STAGEDOOR_SCENE_SKEL_SKIN_ARRAYS_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_ARRAYS_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/skel/skinning_influences.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/stage.h"
#include "scene/values/array.h"

namespace stagedoor {

// The large arrays that the skinned prims of a stage snapshot share.
//
// The characters of a crowd get their influences from few layers, so the arrays are decoded, and
// laid out for the kernels, once per spec and not once per prim. Owned by the snapshot
// (Stage::derived); arrays that no prim refers to are evicted least recently used first.
// Thread-safe. OpenUSD has no counterpart.
class SkinArrays {
 public:
  // The arrays of a snapshot.
  static SkinArrays& Of(const Stage& stage);
  // Memory is charged to `pool`, which may be null. While stages exceed their memory limit,
  // nothing is kept.
  explicit SkinArrays(MemoryPool* pool);

  // The attribute with its value source. If the value is an array from the default of a single
  // spec, it is shared with other attributes that get it from there.
  AttributeQuery Prepare(RequestContext& context, const Attribute& attribute);

  // Influences as authored, and laid out for the kernels.
  struct Layout {
    Array<int> indices;
    Array<float> weights;
    SkinningInfluences influences;
  };
  // The arrays laid out for as many points as they have influences for. Errors: those of
  // SkinningInfluences::Create and of the context.
  absl::StatusOr<std::shared_ptr<const Layout>> Influences(RequestContext& context,
                                                           const Array<int>& indices,
                                                           const Array<float>& weights,
                                                           int per_point, size_t joints);

 private:
  struct SpecKey {
    const Layer* layer;
    SpecId spec;
    friend bool operator==(const SpecKey&, const SpecKey&) = default;
  };
  // Identifies arrays by their addresses, which stay unique because the layout keeps the arrays
  // alive.
  struct LayoutKey {
    const int* indices;
    const float* weights;
    size_t size;
    int per_point;
    size_t joints;
    friend bool operator==(const LayoutKey&, const LayoutKey&) = default;
  };
  struct Hash {
    size_t operator()(const SpecKey& key) const;
    size_t operator()(const LayoutKey& key) const;
  };

  // Updates the memory charge after an entry was added.
  void Charge();

  LruCache<SpecKey, Value, Hash> values_;
  LruCache<LayoutKey, Layout, Hash> layouts_;
  Reservation memory_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_ARRAYS_H_
