#ifndef STAGEDOOR_SCENE_SKEL_SKIN_WALK_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_WALK_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skin_set.h"
#include "scene/skel/skinning_target.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/traversal_budget.h"

namespace stagedoor {

// Iterates over the skinned prims below some roots.
//
// Holds the skinned prims of one SkelRoot at a time, so that a stream over 10^9 instances needs no
// memory for them. Prims come in stage order, and each once per root, found under the outermost
// SkelRoot. For one thread; valid as long as the stage snapshot.
class SkinWalk {
 public:
  SkinWalk(const Stage& stage, std::vector<Prim> roots);

  // Gets the next skinned prim; false at the end. Errors: those of the context, including the limit
  // of TraversalBudget.
  absl::StatusOr<bool> Next(RequestContext& context, SkinningTarget* skin);

 private:
  // Advances to the next SkelRoot that no other one covers; false at the end, or once the context
  // is done.
  bool NextSkelRoot(RequestContext& context);
  bool NextPrim();
  bool IsOutermostSkelRoot();

  SkelCache& cache_;
  std::vector<Prim> roots_;
  size_t next_root_ = 0;
  TraversalBudget visits_;
  std::optional<PrimRange::Iterator> at_;
  // By depth on the path to the current prim: whether a SkelRoot at or above that prim finds what
  // is below it.
  std::vector<bool> covered_;
  std::shared_ptr<const SkinSet> set_;  // of the current SkelRoot; null if there is none
  size_t next_skin_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_WALK_H_
