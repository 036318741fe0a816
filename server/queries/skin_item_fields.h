#ifndef STAGEDOOR_SERVER_QUERIES_SKIN_ITEM_FIELDS_H_
#define STAGEDOOR_SERVER_QUERIES_SKIN_ITEM_FIELDS_H_

#include <cstdint>

#include "server/converters/reply_budget.h"
#include "server/queries/motion_samples.h"
#include "server/queries/skel_fields.h"
#include "server/queries/skin_jobs.h"

namespace stagedoor::server {

// Fills which prim, time, skeleton and animation an item is about. `Item`: a SkinnedPrim or
// SkinningItem.
template <typename Item>
void FillSkinJob(const SkinJob& job, bool with_sources, ReplyBudget& budget, Item* out) {
  out->set_path(budget.Text(PathOf(job.skin.prim)));
  out->set_time_index(static_cast<uint32_t>(job.at.frame));
  if (job.at.selection) {
    FillMotionSample(*job.at.selection, job.at.sample, with_sources, budget, out->mutable_sample());
  }
  out->set_skeleton(budget.Text(PathOf(job.skin.skeleton)));
  out->set_animation_source(budget.Text(PathOf(job.skin.animation)));
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_SKIN_ITEM_FIELDS_H_
