// SkelCache: the skinned prims of a snapshot, found and compiled once a SkelRoot and shared by all
// requests and times, and by all instances of a prototype.
//
// Kept by the snapshot (Stage::derived). Bounded by bytes, least recently used out first; what it
// gives stays valid as long as the snapshot. Thread-safe.
#ifndef STAGEDOOR_SCENE_SKEL_SKEL_CACHE_H_
#define STAGEDOOR_SCENE_SKEL_SKEL_CACHE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/memory_account.h"
#include "base/request_context.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skin_set.h"
#include "scene/skel/skinning_target.h"
#include "scene/stage/prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

class SkelCache {
 public:
  static SkelCache& Of(const Stage& stage);
  // Charged to `account`, which may be null. While stages hold more than they may, it keeps
  // nothing.
  explicit SkelCache(MemoryAccount* account);

  // Null where `prim` is no valid skeleton, or the request is done.
  std::shared_ptr<const SkeletonQuery> SkeletonOf(RequestContext& context, const Prim& prim);
  // The bindings of one SkelRoot. Errors: those of the context.
  absl::StatusOr<std::shared_ptr<const SkinSet>> SkinSetOf(RequestContext& context,
                                                           const Prim& skel_root);
  // All that a SkinWalk from `root` finds. Errors: those of the walk.
  absl::StatusOr<std::vector<SkinningTarget>> FindBelow(RequestContext& context, const Prim& root);
  // Appends the binding of `prim` alone, if it has one. Errors: those of the context.
  absl::Status FindAt(RequestContext& context, const Prim& prim,
                      std::vector<SkinningTarget>* found);

 private:
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash() >> 16; }
  };
  // A prim relative to an instance: what is below it is the same for all instances of a prototype.
  struct RelativePrim {
    const PrimData* data = nullptr;
    Path instance_path;
    friend bool operator==(const RelativePrim&, const RelativePrim&) = default;
  };
  // What the skins of a SkelRoot depend on: the prims below it and, where those are a prototype's,
  // what the instance and its ancestors bind.
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

  // After something was added.
  void Charge();

  LruCache<RootKey, SkinSet, RootHash> skins_;
  LruCache<Prim, SkeletonQuery, PrimHash> skeletons_;
  MemoryCharge memory_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKEL_CACHE_H_
