#ifndef STAGEDOOR_SERVER_HANDLERS_SKINNED_PRIMS_H_
#define STAGEDOOR_SERVER_HANDLERS_SKINNED_PRIMS_H_

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/request_context.h"
#include "scene/skel/skeleton.h"
#include "scene/skel/skinned_prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// A skinned prim and the SkelRoot it was found under.
struct FoundSkin {
  Prim skel_root;
  SkinBinding binding;
};

// The bindings below the SkelRoots at and below `root`, in stage order, each prim once.
// `wanted`, if not null, holds the paths of the prims that count. Incomplete once the context is
// done.
std::vector<FoundSkin> FindSkins(RequestContext& context, const Stage& stage, const Prim& root,
                                 const std::unordered_set<Path>* wanted);

// Skeletons and skinned prims, worked out once a request and shared by its prims and times. For one
// thread.
class SkinCompiler {
 public:
  // Null where the skeleton is invalid.
  std::shared_ptr<const Skeleton> SkeletonOf(RequestContext& context, const Prim& prim);
  // Null where the binding's skeleton is invalid.
  std::shared_ptr<const SkinnedPrim> Compile(RequestContext& context, const SkinBinding& binding);

 private:
  std::unordered_map<Path, std::shared_ptr<const Skeleton>> skeletons_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_SKINNED_PRIMS_H_
