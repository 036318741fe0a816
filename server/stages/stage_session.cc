#include "server/stages/stage_session.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/errors.h"

namespace stagedoor {

StageSession::StageSession(StageCache& cache, StageRecipe recipe,
                           std::shared_ptr<const StageSnapshot> snapshot)
    : cache_(cache),
      interpolation_(recipe.options.interpolation),
      recipe_(std::move(recipe)),
      newest_(std::move(snapshot)),
      memory_(cache.budget().account()) {
  memory_.Set(sizeof(*this) + recipe_.session_content.capacity());
}

StageSession::~StageSession() { cache_.history().Forget(this); }

absl::StatusOr<std::shared_ptr<const StageSnapshot>> StageSession::Snapshot(uint64_t number) const {
  {
    MutexLock lock(mu_);
    if (number == 0 || number == newest_->number()) return newest_;
  }
  if (auto snapshot = cache_.history().Find(this, number)) return snapshot;
  return WithReason(FailedPreconditionError("snapshot ", number, " is no longer held"),
                    reason::kSnapshotGone, {{"snapshot", Concat(number)}});
}

StageRecipe StageSession::recipe() const {
  MutexLock lock(mu_);
  return recipe_;
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> StageSession::Edit(
    RequestContext& context, const std::function<absl::Status(StageRecipe&)>& change) {
  MutexLock edit_lock(edit_mu_);
  StageRecipe changed = recipe();
  SD_RETURN_IF_ERROR(change(changed));
  SD_ASSIGN_OR_RETURN(const auto before, Snapshot(0));
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const StageSnapshot> snapshot,
                      cache_.OpenEdited(context, changed, *before));
  // Before it is replaced, so that who has it pinned finds it at any time.
  cache_.history().Add(this, before);
  {
    MutexLock lock(mu_);
    newest_ = snapshot;
    recipe_ = std::move(changed);
    memory_.Set(sizeof(*this) + recipe_.session_content.capacity());
  }
  cache_.Trim();
  return snapshot;
}

}  // namespace stagedoor
