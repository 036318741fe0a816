#include "server/sharing/session_sharing.h"

#include <algorithm>
#include <utility>

#include "base/fingerprinter.h"
#include "base/random_id.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/caller.h"
#include "server/error_info.h"
#include "server/sessions/audit.h"
#include "server/sessions/caller_scope.h"
#include "server/sessions/follow_changes.h"
#include "server/sessions/lease_owner.h"
#include "server/sessions/stage_key_parser.h"
#include "server/stages/stage_key.h"

namespace stagedoor::server {
namespace {

namespace records = stagedoor::store::v1;

// How long work may take that is not done for a call.
constexpr std::chrono::minutes kWorkTimeout{5};

// Handles are secrets, so the store has only what can be computed from them.
std::string LeaseId(std::string_view handle) { return FingerprintOf(handle); }

SessionStore::Ttl StoreTtl(LeaseTable::Clock::duration ttl) {
  // A quarter more, because use is reported after an eighth.
  return std::chrono::duration_cast<SessionStore::Ttl>(ttl + ttl / 4) + SessionSharing::kMargin;
}

bool IsStoreUnavailable(const absl::Status& status) {
  return GetReason(status) == v1::ERROR_REASON_STORE_UNAVAILABLE;
}

// The part of a request that all replicas need to open the same session.
v1::OpenStageRequest RecipeOf(v1::OpenStageRequest request) {
  request.clear_lease_ttl();
  request.clear_client_name();
  request.clear_request_id();
  return request;
}

}  // namespace

SessionSharing::SessionSharing(SessionStore& store, const Local& local, Executor& executor,
                               const Options& options)
    : store_(store),
      local_(local),
      stages_(local.assets.stages),
      limits_(options.limits),
      session_ttl_(StoreTtl(options.max_lease_ttl)),
      use_interval_(options.use_interval) {
  tasks_.emplace(executor);
  store_.SetListener([this](std::optional<std::string_view> id) { OnChange(id); });
}

SessionSharing::~SessionSharing() {
  store_.SetListener(nullptr);
  {
    MutexLock lock(mu_);
    stopping_ = true;
    for (RequestContext* const context : contexts_) context->Cancel();
  }
  tasks_.reset();
}

// ---------------------------------------------------------------------------------------- sessions

std::string SessionSharing::NamedId(std::string_view name) {
  Fingerprinter fingerprinter;
  fingerprinter.Add("named session");
  fingerprinter.Add(OwnerOfSessions());
  fingerprinter.Add(name);
  return fingerprinter.Finish();
}

SessionSharing::SessionPointer SessionSharing::FindLocal(const std::string& id) {
  MutexLock lock(mu_);
  const auto it = sessions_.find(id);
  return it == sessions_.end() ? nullptr : it->second.lock();
}

SessionSharing::SessionPointer SessionSharing::Enter(const std::string& id,
                                                     SessionPointer session) {
  MutexLock lock(mu_);
  std::weak_ptr<StageSession>& entered = sessions_[id];
  if (auto live = entered.lock()) return live;
  entered = session;
  if (sessions_.size() >= sweep_at_) {
    std::erase_if(sessions_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max<size_t>(64, 2 * sessions_.size());
  }
  return session;
}

std::vector<SessionSharing::SessionPointer> SessionSharing::LocalSessions() const {
  MutexLock lock(mu_);
  std::vector<SessionPointer> sessions;
  for (const auto& [id, session] : sessions_) {
    if (auto live = session.lock()) sessions.push_back(std::move(live));
  }
  return sessions;
}

absl::StatusOr<SessionSharing::SessionPointer> SessionSharing::Share(
    RequestContext& context, const v1::OpenStageRequest& request, SessionPointer session) {
  std::string id;
  if (session->name().empty()) {
    SD_ASSIGN_OR_RETURN(id, RandomId());
  } else {
    id = NamedId(session->name());
  }
  records::SessionRecord record;
  *record.mutable_recipe() = RecipeOf(request);
  record.set_first_snapshot(session->Newest()->fingerprint());
  session->SetRecorder(
      std::make_unique<StoredSession>(store_, stages_, id, std::move(record), 0, session_ttl_));
  const absl::StatusOr<bool> created = session->StoreIfMissing(context);
  if (created.ok() && !*created) {
    SD_ASSIGN_OR_RETURN(SessionPointer other, Restore(context, id));
    if (other != nullptr) return other;
  }
  if (!created.ok()) {
    if (!session->name().empty() || !IsStoreUnavailable(created.status())) return created.status();
    incomplete_ = true;
  }
  return Enter(id, std::move(session));
}

absl::StatusOr<SessionSharing::SessionPointer> SessionSharing::FindNamed(RequestContext& context,
                                                                         std::string_view name) {
  return Restore(context, NamedId(name));
}

absl::StatusOr<SessionSharing::SessionPointer> SessionSharing::Restore(RequestContext& context,
                                                                       const std::string& id) {
  if (SessionPointer local = FindLocal(id)) return local;
  SD_ASSIGN_OR_RETURN(const auto found, store_.FindSession(context, id));
  if (!found.has_value()) return nullptr;
  SD_ASSIGN_OR_RETURN(SessionPointer session, MakeSession(context, id, *found));
  session = Enter(id, std::move(session));
  if (!session->name().empty()) {
    session = local_.sessions.FindOrAdd(OwnerOfSessions(), std::move(session));
  }
  FollowChanges(local_.follower, session);
  return session;
}

absl::StatusOr<SessionSharing::SessionPointer> SessionSharing::MakeSession(
    RequestContext& context, const std::string& id, const SessionStore::Session& found) {
  SD_ASSIGN_OR_RETURN(const records::SessionRecord record,
                      StoredSession::ParseRecord(found.record));
  auto stored =
      std::make_unique<StoredSession>(store_, stages_, id, record, found.revision, session_ttl_);
  SD_ASSIGN_OR_RETURN(StageKey stage_key, ParseStageKey(local_.assets, context, record.recipe()));
  const std::string routing_key = RoutingKeyOf(stage_key.CacheKey());
  if (record.edit_count() > 0) {
    SD_ASSIGN_OR_RETURN(const bool restored,
                        stored->RestoreState(context, record.snapshot(), stage_key));
    if (!restored) return LeaseTable::UnknownHandle();
  }
  const auto result = stages_.Open(context, stage_key);
  AuditOpening(local_.assets.audit, "open stage", record.recipe().root_layer(), result.status());
  SD_ASSIGN_OR_RETURN(const StageCache::Opened opened, result);
  SD_RETURN_IF_ERROR(stages_.MakeRoom(context));
  if (stage_key.policy == ChangePolicy::kFixed &&
      opened.snapshot->fingerprint() != record.snapshot()) {
    return WithReason(
        FailedPreconditionError("the files of the stage have changed since it was opened, and the "
                                "replica that had them open is gone; open the stage again"),
        v1::ERROR_REASON_SNAPSHOT_GONE, {{"snapshot", record.snapshot()}});
  }
  stage_key.options.resolver_context = opened.snapshot->stage().options().resolver_context;
  auto session = std::make_shared<StageSession>(stages_, std::move(stage_key), routing_key,
                                                opened.snapshot, record.recipe().session());
  session->Remember(StoredSession::DoneIn(record));
  session->SetRecorder(std::move(stored));
  return session;
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> SessionSharing::RestoreSnapshot(
    RequestContext& context, StageSession& session, const std::string& fingerprint) {
  const StoredSession& stored = StoredSession::Of(session);
  SD_RETURN_IF_ERROR(session.CatchUp(context));
  auto known = session.Snapshot(fingerprint);
  if (known.ok()) return known;
  std::shared_ptr<const StageSnapshot> snapshot;
  if (fingerprint == stored.first_snapshot()) {
    SD_ASSIGN_OR_RETURN(const StageKey stage_key,
                        ParseStageKey(local_.assets, context, stored.recipe()));
    SD_ASSIGN_OR_RETURN(const StageCache::Opened opened, stages_.Open(context, stage_key));
    snapshot = opened.snapshot;
  } else {
    SD_ASSIGN_OR_RETURN(auto opened, stored.OpenState(context, fingerprint, session.stage_key(),
                                                      *session.Newest()));
    if (opened.has_value()) snapshot = std::move(opened->snapshot);
  }
  if (snapshot == nullptr || snapshot->fingerprint() != fingerprint) return known;
  stages_.history().Add(&session, snapshot);
  return snapshot;
}

// ------------------------------------------------------------------------------------------ leases

absl::Status SessionSharing::WriteLease(RequestContext& context, const LeaseTable::Living& lease) {
  const std::string& session = StoredSession::Of(*lease.session).id();
  records::LeaseRecord record;
  record.set_session(session);
  record.set_owner(lease.owner.name);
  record.set_access_scope(lease.session->scope());
  record.set_client_name(lease.owner.client_name);
  record.set_ttl_nanos(lease.ttl.count());
  return store_.WriteLease(context, session, LeaseId(lease.handle), record.SerializeAsString(),
                           StoreTtl(lease.ttl));
}

absl::Status SessionSharing::ShareLease(RequestContext& context, const LeaseTable::Living& lease) {
  uses_.Add(*lease.session);
  return UpdateLease(context, lease);
}

absl::Status SessionSharing::UpdateLease(RequestContext& context, const LeaseTable::Living& lease) {
  absl::Status status = WriteLease(context, lease);
  if (!IsStoreUnavailable(status)) return status;
  incomplete_ = true;
  return absl::OkStatus();
}

absl::StatusOr<records::LeaseRecord> SessionSharing::FindLease(RequestContext& context,
                                                               const std::string& handle) {
  if (!LeaseTable::IsHandle(handle)) return LeaseTable::UnknownHandle();
  SD_ASSIGN_OR_RETURN(const auto found, store_.FindLease(context, LeaseId(handle)));
  records::LeaseRecord record;
  if (!found.has_value() || !record.ParseFromString(*found) ||
      record.owner() != CurrentCallerName()) {
    return LeaseTable::UnknownHandle();
  }
  return record;
}

absl::Status SessionSharing::RestoreLease(RequestContext& context, const std::string& handle) {
  SD_ASSIGN_OR_RETURN(const records::LeaseRecord record, FindLease(context, handle));
  if (record.access_scope() != ScopeFingerprintOfCaller()) return ScopeChanged();
  SD_ASSIGN_OR_RETURN(SessionPointer session, Restore(context, record.session()));
  if (session == nullptr) return LeaseTable::UnknownHandle();
  SD_RETURN_IF_ERROR(local_.leases.Restore(handle, session,
                                           std::chrono::nanoseconds(record.ttl_nanos()),
                                           OwnerOfLease(record.client_name())));
  uses_.Add(*session);
  ++restored_leases_;
  return absl::OkStatus();
}

absl::Status SessionSharing::EndLease(RequestContext& context, const std::string& handle,
                                      absl::Status removed) {
  const absl::StatusOr<records::LeaseRecord> record = FindLease(context, handle);
  const absl::Status ended = record.ok()
                                 ? store_.RemoveLease(context, record->session(), LeaseId(handle))
                                 : record.status();
  // A lease that has ended here expires in the store by itself.
  return removed.ok() ? removed : ended;
}

SessionSharing::Stats SessionSharing::GetStats() const {
  return {.sessions = LocalSessions().size(),
          .restored_leases = restored_leases_,
          .store_calls = store_.calls(),
          .store_failures = store_.failures()};
}

void SessionSharing::Report() {
  if (reporting_.exchange(true)) return;
  Schedule([this](RequestContext& context) {
    const bool again = incomplete_.exchange(false);
    const auto living = again ? local_.leases.All() : local_.leases.TakeUsed();
    absl::Status status = again ? StoreAgain(context, living) : absl::OkStatus();
    if (status.ok()) status = RenewUsed(context, living);
    if (!status.ok()) incomplete_ = true;
    if (status.ok()) ReportUses(context);
    reporting_ = false;
  });
}

void SessionSharing::ReportUses(RequestContext& context) {
  const auto now = RequestContext::Clock::now();
  if (now - uses_reported_ < use_interval_) return;
  uses_reported_ = now;
  // Uses that cannot be recorded are not worth being kept: those of the next minute tell the same.
  store_.RecordUses(context, uses_.Take(local_.leases.All()), kUseSlot).IgnoreError();
}

absl::StatusOr<std::vector<records::RecipeRecord>> SessionSharing::HottestRecipes(
    RequestContext& context, size_t count) {
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                      store_.HottestRecipes(context, count, kUseSlot));
  std::vector<records::RecipeRecord> recipes;
  for (const std::string& text : texts) {
    records::RecipeRecord recipe;
    if (recipe.ParseFromString(text)) recipes.push_back(std::move(recipe));
  }
  return recipes;
}

absl::Status SessionSharing::StoreAgain(RequestContext& context,
                                        const std::vector<LeaseTable::Living>& leases) {
  for (const LeaseTable::Living& lease : leases) {
    SD_RETURN_IF_ERROR(lease.session->StoreIfMissing(context).status());
    SD_ASSIGN_OR_RETURN(const auto found, store_.FindLease(context, LeaseId(lease.handle)));
    if (!found.has_value()) SD_RETURN_IF_ERROR(WriteLease(context, lease));
  }
  return absl::OkStatus();
}

absl::Status SessionSharing::RenewUsed(RequestContext& context,
                                       const std::vector<LeaseTable::Living>& used) {
  if (used.empty()) return absl::OkStatus();
  std::vector<SessionStore::Renewal> renewals;
  renewals.reserve(used.size());
  for (const LeaseTable::Living& lease : used) {
    renewals.push_back({StoredSession::Of(*lease.session).id(),
                        lease.session->Newest()->fingerprint(), LeaseId(lease.handle),
                        StoreTtl(lease.ttl)});
  }
  return store_.Renew(context, renewals);
}

// ----------------------------------------------------------------------------------- announcements

void SessionSharing::OnChange(std::optional<std::string_view> id) {
  std::vector<SessionPointer> changed;
  if (!id.has_value()) {
    incomplete_ = true;
    changed = LocalSessions();
  } else if (SessionPointer session = FindLocal(std::string(*id))) {
    changed.push_back(std::move(session));
  }
  if (changed.empty()) return;
  Schedule([changed = std::move(changed)](RequestContext& context) {
    // A session that cannot catch up does so at its next edit, or when the store is there again.
    for (const SessionPointer& session : changed) session->CatchUp(context).IgnoreError();
  });
}

void SessionSharing::Schedule(std::function<void(RequestContext&)> work) {
  tasks_->Schedule([this, work = std::move(work)] {
    RequestContext context(RequestContext::Clock::now() + kWorkTimeout, limits_);
    {
      MutexLock lock(mu_);
      if (stopping_) return;
      contexts_.insert(&context);
    }
    work(context);
    MutexLock lock(mu_);
    contexts_.erase(&context);
  });
}

}  // namespace stagedoor::server
