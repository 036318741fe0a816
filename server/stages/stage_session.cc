#include "server/stages/stage_session.h"

#include <utility>
#include <vector>

#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/access/access_scope.h"
#include "scene/layer/kept_layers.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// A session has one client or few, so few of its edits can be repeated at any time.
constexpr size_t kMaxRememberedEdits = 64;

std::string ScopeOf(const ResolverContext& resolver_context) {
  const AccessScope* const scope = resolver_context.access();
  return scope == nullptr ? std::string() : scope->fingerprint();
}

absl::Status Moving() {
  return WithReason(
      AbortedError("the session cannot be edited: it has expired, or other clients edit "
                   "it all the time; open the stage again"),
      v1::ERROR_REASON_SNAPSHOT_CONFLICT);
}

}  // namespace

StageSession::StageSession(StageCache& cache, StageKey stage_key, std::string routing_key,
                           std::shared_ptr<const StageSnapshot> snapshot, std::string name)
    : cache_(cache),
      interpolation_(stage_key.options.interpolation),
      policy_(stage_key.policy),
      scope_(ScopeOf(stage_key.options.resolver_context)),
      name_(std::move(name)),
      routing_key_(std::move(routing_key)),
      edits_({.max_entries = kMaxRememberedEdits}),
      stage_key_(std::move(stage_key)),
      newest_(std::move(snapshot)),
      memory_(cache.budget().pool()) {
  MutexLock lock(mu_);
  memory_.Set(ByteSize());
}

StageSession::~StageSession() { cache_.history().Forget(this); }

size_t StageSession::ByteSize() const {
  return sizeof(*this) + name_.capacity() + stage_key_.session_content.capacity();
}

void StageSession::AddLease() {
  MutexLock lock(mu_);
  ++leases_;
  newest_->AddHolders(1);
}

void StageSession::DropLease() {
  MutexLock lock(mu_);
  --leases_;
  newest_->DropHolders(1);
}

uint32_t StageSession::lease_count() const { return Newest()->holders(); }

std::shared_ptr<const StageSnapshot> StageSession::Newest() const {
  MutexLock lock(mu_);
  return newest_;
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> StageSession::Snapshot(
    std::string_view fingerprint) const {
  {
    MutexLock lock(mu_);
    if (fingerprint.empty() || fingerprint == newest_->fingerprint()) return newest_;
  }
  if (auto snapshot = cache_.history().Find(this, fingerprint)) return snapshot;
  return WithReason(FailedPreconditionError("snapshot ", Quoted(fingerprint),
                                            " is no longer available; use the newest snapshot"),
                    v1::ERROR_REASON_SNAPSHOT_GONE, {{"snapshot", fingerprint}});
}

StageKey StageSession::stage_key() const {
  MutexLock lock(mu_);
  return stage_key_;
}

absl::StatusOr<std::string> StageSession::Edit(
    RequestContext& context, const Precondition& precondition,
    const std::function<absl::Status(StageKey&)>& change) {
  MutexLock edit_lock(edit_mu_);
  for (;;) {
    absl::StatusOr<std::optional<std::string>> edited = TryEdit(context, precondition, change);
    if (edited.ok() && edited->has_value()) return **std::move(edited);
    // The edit failed, or only because the session was edited elsewhere?
    SD_ASSIGN_OR_RETURN(const bool newer, CatchUpLocked(context));
    if (!newer) return edited.ok() ? Moving() : edited.status();
  }
}

absl::StatusOr<std::optional<std::string>> StageSession::TryEdit(
    RequestContext& context, const Precondition& precondition,
    const std::function<absl::Status(StageKey&)>& change) {
  SD_ASSIGN_OR_RETURN(auto before, Check(precondition));
  if (before.has_value()) return before;
  SD_ASSIGN_OR_RETURN(Changed changed, Apply(context, change));
  SD_ASSIGN_OR_RETURN(const bool recorded, Record(context, precondition, changed));
  if (!recorded) return std::nullopt;
  const RequestMemoryExemption exempt;  // what is recorded must take place, and be known
  const std::string fingerprint = changed.snapshot->fingerprint();
  SetNewest(std::move(changed.snapshot), std::move(changed.stage_key));
  cache_.Trim();
  return edits_.Add(precondition.request, fingerprint);
}

absl::StatusOr<std::optional<std::string>> StageSession::Check(const Precondition& precondition) {
  SD_ASSIGN_OR_RETURN(auto before, edits_.Find(precondition.request));
  if (before.has_value()) return before;
  const std::string& expected = precondition.expected_snapshot;
  if (!expected.empty() && expected != Newest()->fingerprint()) {
    return WithReason(
        AbortedError("the newest snapshot is ", Quoted(Newest()->fingerprint()), ", not ",
                     Quoted(expected), "; read the stage again and repeat the edit"),
        v1::ERROR_REASON_SNAPSHOT_CONFLICT, {{"snapshot", Newest()->fingerprint()}});
  }
  return std::nullopt;
}

absl::StatusOr<bool> StageSession::Record(RequestContext& context, const Precondition& precondition,
                                          const Changed& changed) {
  if (recorder_ == nullptr) return true;
  SessionRecorder::Outcome outcome{changed.stage_key, changed.snapshot, edits_.All()};
  if (!precondition.request.id.empty()) {
    outcome.done.push_back({precondition.request, changed.snapshot->fingerprint()});
  }
  return recorder_->Record(context, outcome);
}

absl::Status StageSession::CatchUp(RequestContext& context) {
  MutexLock edit_lock(edit_mu_);
  return CatchUpLocked(context).status();
}

absl::StatusOr<bool> StageSession::StoreIfMissing(RequestContext& context) {
  MutexLock edit_lock(edit_mu_);
  if (recorder_ == nullptr) return false;
  return recorder_->StoreIfMissing(context, {stage_key(), Newest(), edits_.All()});
}

void StageSession::Remember(std::vector<RequestIdTable::Done> done) {
  for (RequestIdTable::Done& edit : done) {
    edits_.Add(edit.request, std::move(edit.result)).IgnoreError();  // what is known is the same
  }
}

absl::StatusOr<bool> StageSession::CatchUpLocked(RequestContext& context) {
  if (recorder_ == nullptr) return false;
  SD_ASSIGN_OR_RETURN(std::optional<SessionRecorder::Outcome> newer,
                      recorder_->FindNewer(context, {stage_key(), Newest(), {}}));
  if (!newer.has_value()) return false;
  Remember(std::move(newer->done));
  if (newer->snapshot != Newest()) {
    SetNewest(std::move(newer->snapshot), std::move(newer->stage_key));
    cache_.Trim();
  }
  return true;
}

absl::StatusOr<StageSession::Changed> StageSession::Apply(
    RequestContext& context, const std::function<absl::Status(StageKey&)>& change) {
  StageKey changed = stage_key();
  const std::shared_ptr<const StageSnapshot> before = Newest();
  if (policy_ == ChangePolicy::kFixed) {
    StageOptions& options = changed.options;
    options.kept_layers = KeepLayers(options.kept_layers, before->stage().UsedLayers());
  }
  SD_RETURN_IF_ERROR(change(changed));
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const StageSnapshot> snapshot,
                      cache_.OpenEdited(context, changed, *before));
  return Changed{std::move(changed), std::move(snapshot)};
}

bool StageSession::Replace(const std::shared_ptr<const StageSnapshot>& before,
                           const std::shared_ptr<const StageSnapshot>& after) {
  {
    MutexLock edit_lock(edit_mu_);
    if (Newest() != before) return false;
    SetNewest(after, stage_key());
  }
  cache_.Trim();
  return true;
}

void StageSession::SetNewest(std::shared_ptr<const StageSnapshot> snapshot, StageKey stage_key) {
  stage_key.options.resolver_context = snapshot->stage().options().resolver_context;
  // Added before it is replaced, so that clients that have it pinned can find it at any time.
  cache_.history().Add(this, Newest());
  std::vector<std::shared_ptr<ChangeSignal>> watchers;
  {
    const RequestMemoryExemption exempt;  // a snapshot is replaced as a whole, and all are notified
    MutexLock lock(mu_);
    snapshot->AddHolders(leases_);
    newest_->DropHolders(leases_);
    newest_ = std::move(snapshot);
    stage_key_ = std::move(stage_key);
    memory_.Set(ByteSize());
    watchers = watchers_.Living();
  }
  for (const auto& watcher : watchers) watcher->NotifyChange();
}

void StageSession::Watch(const std::shared_ptr<ChangeSignal>& signal) {
  MutexLock lock(mu_);
  watchers_.Add(signal);
}

}  // namespace stagedoor::server
