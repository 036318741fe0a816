#include "server/stages/stage_session.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/errors.h"

namespace stagedoor {

StageSession::StageSession(StageRecipe recipe, std::shared_ptr<const StageSnapshot> snapshot)
    : interpolation_(recipe.options.interpolation),
      recipe_(std::move(recipe)),
      newest_(std::move(snapshot)) {}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> StageSession::Snapshot(uint64_t number) const {
  MutexLock lock(mu_);
  if (number == 0 || number == newest_->number()) return newest_;
  for (const auto& snapshot : older_) {
    if (snapshot->number() == number) return snapshot;
  }
  return WithReason(FailedPreconditionError("snapshot ", number, " is no longer held"),
                    reason::kSnapshotGone, {{"snapshot", Concat(number)}});
}

StageRecipe StageSession::recipe() const {
  MutexLock lock(mu_);
  return recipe_;
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> StageSession::Edit(
    RequestContext& context, StageCache& cache,
    const std::function<absl::Status(StageRecipe&)>& change) {
  MutexLock edit_lock(edit_mu_);
  StageRecipe changed = recipe();
  SD_RETURN_IF_ERROR(change(changed));
  SD_ASSIGN_OR_RETURN(const auto before, Snapshot(0));
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const StageSnapshot> snapshot,
                      cache.OpenEdited(context, changed, *before));
  MutexLock lock(mu_);
  older_.push_back(std::exchange(newest_, snapshot));
  if (older_.size() > kMaxOldSnapshots) older_.pop_front();
  recipe_ = std::move(changed);
  return snapshot;
}

}  // namespace stagedoor
