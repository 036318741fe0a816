#include "server/stages/stage_session.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/error_info.h"

namespace stagedoor::server {

StageSession::StageSession(StageCache& cache, StageKey stage_key,
                           std::shared_ptr<const StageSnapshot> snapshot, std::string client_name)
    : cache_(cache),
      interpolation_(stage_key.options.interpolation),
      client_name_(std::move(client_name)),
      stage_key_(std::move(stage_key)),
      newest_(std::move(snapshot)),
      memory_(cache.budget().account()) {
  MutexLock lock(mu_);
  newest_->AddHolder();
  memory_.Set(ByteSize());
}

StageSession::~StageSession() {
  cache_.history().Forget(this);
  MutexLock lock(mu_);
  newest_->DropHolder();
}

size_t StageSession::ByteSize() const {
  return sizeof(*this) + client_name_.capacity() + stage_key_.session_content.capacity();
}

uint32_t StageSession::session_count() const {
  MutexLock lock(mu_);
  return newest_->holders();
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> StageSession::Snapshot(uint64_t number) const {
  {
    MutexLock lock(mu_);
    if (number == 0 || number == newest_->number()) return newest_;
  }
  if (auto snapshot = cache_.history().Find(this, number)) return snapshot;
  return WithReason(FailedPreconditionError("snapshot ", number,
                                            " is no longer available; use the newest snapshot"),
                    reason::kSnapshotGone, {{"snapshot", Concat(number)}});
}

StageKey StageSession::stage_key() const {
  MutexLock lock(mu_);
  return stage_key_;
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> StageSession::Edit(
    RequestContext& context, const std::function<absl::Status(StageKey&)>& change) {
  MutexLock edit_lock(edit_mu_);
  StageKey changed = stage_key();
  SD_RETURN_IF_ERROR(change(changed));
  SD_ASSIGN_OR_RETURN(const auto before, Snapshot(0));
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const StageSnapshot> snapshot,
                      cache_.OpenEdited(context, changed, *before));
  // Added before it is replaced, so that clients that have it pinned can find it at any time.
  cache_.history().Add(this, before);
  {
    MutexLock lock(mu_);
    snapshot->AddHolder();
    newest_->DropHolder();
    newest_ = snapshot;
    stage_key_ = std::move(changed);
    memory_.Set(ByteSize());
  }
  cache_.Trim();
  return snapshot;
}

}  // namespace stagedoor::server
