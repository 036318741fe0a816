// SkinCache: the skinned prims of a snapshot, found and compiled once a SkelRoot and shared by all
// requests and times.
//
// Kept by the snapshot (Stage::derived). Bounded by bytes, least recently used out first; what it
// gives stays valid as long as the snapshot. Thread-safe.
#ifndef STAGEDOOR_SCENE_SKEL_SKIN_CACHE_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_CACHE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/request_context.h"
#include "scene/skel/skeleton.h"
#include "scene/skel/skinned_prim.h"
#include "scene/stage/prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// A prim that is bound to a skeleton, and the SkelRoot it was found under.
struct FoundSkin {
  Prim prim;
  Prim skeleton;
  Prim skel_root;
  std::shared_ptr<const SkinnedPrim> skinned;  // null where the skeleton is invalid
};

class SkinCache {
 public:
  static SkinCache& Of(const Stage& stage);
  SkinCache();

  // Null where `prim` is no valid skeleton, or the request is done.
  std::shared_ptr<const Skeleton> SkeletonOf(RequestContext& context, const Prim& prim);
  // The bindings below the SkelRoots at and below `root`, in stage order, each prim once: the
  // outermost SkelRoot counts. Errors: those of the context.
  absl::StatusOr<std::vector<FoundSkin>> FindBelow(RequestContext& context, const Prim& root);
  // Appends the binding of `prim` alone, if it has one. Errors: those of the context.
  absl::Status FindAt(RequestContext& context, const Prim& prim, std::vector<FoundSkin>* found);

 private:
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash() >> 16; }
  };
  using Skins = std::vector<FoundSkin>;

  // The bindings of one SkelRoot.
  absl::StatusOr<std::shared_ptr<const Skins>> SkinsOf(RequestContext& context,
                                                       const Prim& skel_root);

  LruCache<Prim, Skins, PrimHash> skins_;
  LruCache<Prim, Skeleton, PrimHash> skeletons_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_CACHE_H_
