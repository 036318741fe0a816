#include "scene/skel/skin_walk.h"

#include <utility>

#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/skel/skel_tokens.h"
#include "scene/skel/skin_binding.h"
#include "scene/stage/stage.h"

namespace stagedoor {

SkinWalk::SkinWalk(const Stage& stage, std::vector<Prim> roots)
    : cache_(SkelCache::Of(stage)), roots_(std::move(roots)), visits_(stage) {}

bool SkinWalk::NextPrim() {
  if (at_) ++*at_;
  while (!at_ || *at_ == PrimRange::End()) {
    if (next_root_ == roots_.size()) return false;
    // With instance proxies: each instance of a skinned character is a result of its own.
    at_.emplace(PrimRange(roots_[next_root_++], PrimFlagsPredicate::Default().WithInstanceProxies())
                    .begin());
    covered_.clear();
  }
  return true;
}

bool SkinWalk::IsOutermostSkelRoot() {
  const Prim& prim = **at_;
  const size_t depth = at_->depth();
  // A nested SkelRoot is not searched again if the search from the outer one went through it. That
  // search ends at prims that are skinnable or not imageable; a SkelRoot below those counts.
  const bool below = depth > 0 && depth <= covered_.size() && covered_[depth - 1];
  const bool root = prim.IsA(Skel().SkelRoot);
  covered_.resize(depth + 1, false);
  covered_[depth] = root || (below && prim.IsA(Geom().Imageable) && !IsSkinnable(prim));
  return root && !below;
}

bool SkinWalk::NextSkelRoot(RequestContext& context) {
  while (NextPrim()) {
    // Every prim on the way counts: a stage may have more instance proxies than fit into a request.
    if (!visits_.Spend(context, **at_)) return false;
    if (IsOutermostSkelRoot()) return true;
  }
  return false;
}

absl::StatusOr<bool> SkinWalk::Next(RequestContext& context, SkinningTarget* skin) {
  // Also skips SkelRoots without skinned prims. The set is released before the next is found.
  while (!set_ || next_skin_ == set_->size()) {
    set_ = nullptr;
    if (!NextSkelRoot(context)) {
      SD_RETURN_IF_ERROR(context.Check());
      return false;
    }
    SD_ASSIGN_OR_RETURN(set_, cache_.SkinSetOf(context, **at_));
    next_skin_ = 0;
  }
  *skin = set_->At(next_skin_++, **at_);
  return true;
}

absl::StatusOr<std::vector<SkinningTarget>> SkelCache::FindBelow(RequestContext& context,
                                                                 const Prim& root) {
  std::vector<SkinningTarget> found;
  SkinWalk walk(root.stage(), {root});
  for (SkinningTarget skin;;) {
    SD_ASSIGN_OR_RETURN(const bool more, walk.Next(context, &skin));
    if (!more) return found;
    SD_RETURN_IF_ERROR(context.Reserve(sizeof(SkinningTarget), "skinned prims"));
    found.push_back(std::move(skin));
  }
}

}  // namespace stagedoor
