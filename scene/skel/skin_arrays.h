// SkinArrays: the large arrays that the skinned prims of a snapshot have in common.
//
// The characters of a crowd get their influences from few layers: the arrays are decoded, and laid
// out for the kernels, once per spec and not once per prim. Kept by the snapshot (Stage::derived);
// what no prim holds any more goes least recently used first. Thread-safe.
#ifndef STAGEDOOR_SCENE_SKEL_SKIN_ARRAYS_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_ARRAYS_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/memory_account.h"
#include "base/request_context.h"
#include "scene/geom/prepared_attribute.h"
#include "scene/skel/skinning_influences.h"
#include "scene/stage/stage.h"
#include "scene/values/array.h"

namespace stagedoor {

class SkinArrays {
 public:
  static SkinArrays& Of(const Stage& stage);
  // Charged to `account`, which may be null. While stages hold more than they may, it keeps
  // nothing.
  explicit SkinArrays(MemoryAccount* account);

  // The attribute with its value source; an array that one spec's default gives is shared.
  PreparedAttribute Prepare(RequestContext& context, const Attribute& attribute);

  struct Layout {
    Array<int> indices;
    Array<float> weights;
    SkinningInfluences influences;
  };
  // The arrays laid out for as many points as they are for. Errors: those of SkinningInfluences.
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
  // Of arrays by where they are: the layout keeps them there.
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

  // After something was added.
  void Charge();

  LruCache<SpecKey, Value, Hash> values_;
  LruCache<LayoutKey, Layout, Hash> layouts_;
  MemoryCharge memory_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_ARRAYS_H_
