#ifndef STAGEDOOR_SCENE_SKEL_SKEL_CACHE_H_
#define STAGEDOOR_SCENE_SKEL_SKEL_CACHE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skin_set.h"
#include "scene/skel/skinning_target.h"
#include "scene/stage/prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// The skinned prims of a stage snapshot, found and compiled once per SkelRoot and shared by all
// requests and times, and by all instances of a prototype. Corresponds to UsdSkelCache.
//
// Owned by the snapshot (Stage::derived). Bounded in bytes, with the least recently used entries
// evicted first; what it returns stays valid as long as the snapshot. Thread-safe.
class SkelCache {
 public:
  // The cache of a snapshot.
  static SkelCache& Of(const Stage& stage);
  // Memory is charged to `pool`, which may be null. While stages exceed their memory limit, the
  // cache keeps nothing.
  explicit SkelCache(MemoryPool* pool);

  // The query of a skeleton; null if `prim` is not a valid skeleton, or the context is done.
  // Corresponds to UsdSkelCache::GetSkelQuery.
  std::shared_ptr<const SkeletonQuery> SkeletonOf(RequestContext& context, const Prim& prim);
  // The skinned prims of one SkelRoot. Errors: those of the context. Corresponds to
  // UsdSkelCache::Populate.
  absl::StatusOr<std::shared_ptr<const SkinSet>> SkinSetOf(RequestContext& context,
                                                           const Prim& skel_root);
  // Everything that a SkinWalk from `root` finds. Errors: those of the walk. Corresponds to
  // UsdSkelCache::ComputeSkelBindings.
  absl::StatusOr<std::vector<SkinningTarget>> FindBelow(RequestContext& context, const Prim& root);
  // Appends the binding of `prim` alone, if it has one. Errors: those of the context. Corresponds
  // to UsdSkelCache::GetSkinningQuery.
  absl::Status FindAt(RequestContext& context, const Prim& prim,
                      std::vector<SkinningTarget>* found);

 private:
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash() >> 16; }
  };
  // A prim relative to an instance: descendants of the instance are equal for all instances of a
  // prototype.
  struct RelativePrim {
    const PrimData* data = nullptr;
    Path instance_path;
    friend bool operator==(const RelativePrim&, const RelativePrim&) = default;
  };
  // The dependencies of the skinned prims of a SkelRoot: the prims below it and, if those are in a
  // prototype, the bindings of the instance and its ancestors.
  struct RootKey {
    const PrimData* data = nullptr;
    RelativePrim skeleton, animation;
    friend bool operator==(const RootKey&, const RootKey&) = default;
  };
  struct RootHash {
    size_t operator()(const RootKey& key) const;
  };
  static RelativePrim RelativeTo(const Prim& instance, const Prim& prim);
  static RootKey KeyOf(RequestContext& context, const Prim& skel_root);

  // Updates the memory charge after an entry was added.
  void Charge();

  LruCache<RootKey, SkinSet, RootHash> skins_;
  LruCache<Prim, SkeletonQuery, PrimHash> skeletons_;
  Reservation memory_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKEL_CACHE_H_
