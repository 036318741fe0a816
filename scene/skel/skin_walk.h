// SkinWalk: the skinned prims below some roots, one after another.
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

// Holds one SkelRoot's skins at a time, so that a stream of 10^9 instances needs no memory for
// them. In stage order; below each root a prim comes once, found under the outermost SkelRoot. For
// one thread; valid as long as the stage snapshot.
class SkinWalk {
 public:
  SkinWalk(const Stage& stage, std::vector<Prim> roots);

  // False at the end. Errors: those of the context, TraversalBudget's among them.
  absl::StatusOr<bool> Next(RequestContext& context, SkinningTarget* skin);

 private:
  // Goes to the next SkelRoot whose skins were not found under another; false at the end, or once
  // the context is done.
  bool NextSkelRoot(RequestContext& context);
  bool NextPrim();
  bool IsOutermostSkelRoot();

  SkelCache& cache_;
  std::vector<Prim> roots_;
  size_t next_root_ = 0;
  TraversalBudget visits_;
  std::optional<PrimRange::Iterator> at_;
  // By depth, whether what is below the prim on the way to the current one is found from a SkelRoot
  // at or above it.
  std::vector<bool> covered_;
  std::shared_ptr<const SkinSet> set_;  // of the SkelRoot at hand; null: none
  size_t next_skin_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_WALK_H_
