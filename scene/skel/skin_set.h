#ifndef STAGEDOOR_SCENE_SKEL_SKIN_SET_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_SET_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/request_context.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skinning_target.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The skinned prims below one SkelRoot, compiled. Corresponds to the UsdSkelBinding objects that
// UsdSkelCache::ComputeSkelBindings returns. Internal to scene/skel.
//
// Compiled once for a SkelRoot and, if that is in a prototype, for all its instances. Immutable and
// thread-safe; valid as long as the stage snapshot.
class SkinSet {
 public:
  using FindSkeleton = std::function<std::shared_ptr<const SkeletonQuery>(RequestContext& context,
                                                                          const Prim& prim)>;

  // Incomplete once the context is done.
  static SkinSet Compile(RequestContext& context, const Prim& skel_root,
                         const FindSkeleton& find_skeleton);

  size_t size() const { return skins_.size(); }
  size_t byte_size() const { return byte_size_; }
  // The i-th skinned prim, as seen from `skel_root`.
  SkinningTarget At(size_t i, const Prim& skel_root) const {
    return skins_[i].SeenFrom(skel_root_, skel_root);
  }
  // The number of `prim`, as seen from `skel_root`; size() if it is not in the set.
  size_t Find(const Prim& prim, const Prim& skel_root) const;

 private:
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash() >> 16; }
  };

  Prim skel_root_;
  std::vector<SkinningTarget> skins_;
  std::unordered_map<Prim, size_t, PrimHash> places_;
  size_t byte_size_ = sizeof(std::vector<SkinningTarget>);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_SET_H_
