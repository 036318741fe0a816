#include "server/sessions/leased_stage.h"

#include <utility>

#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/caller.h"
#include "server/error_info.h"
#include "server/sessions/caller_scope.h"
#include "server/sessions/lease_owner.h"
#include "server/sessions/query_state.h"
#include "server/sessions/shared_sessions.h"

namespace stagedoor::server {

namespace {

using SessionOrError = absl::StatusOr<std::shared_ptr<StageSession>>;

// Whether other replicas may know more of a handle.
bool MayBeElsewhere(const absl::Status& status) {
  const v1::ErrorReason reason = GetReason(status);
  return reason == v1::ERROR_REASON_STAGE_NOT_FOUND || reason == v1::ERROR_REASON_LEASE_EXPIRED;
}

// Calls `look_up` for the handle, a second time if the lease could be restored. Ends the lease if
// the caller may not read the assets of its session any more.
template <typename LookUp>
SessionOrError FindSession(const QueryState& state, RequestContext& context,
                           const std::string& handle, const LookUp& look_up) {
  SessionOrError leased = look_up();
  if (!leased.ok() && MayBeElsewhere(leased.status())) {
    const absl::Status restored = state.sharing.RestoreLease(context, handle);
    // A handle that no replica knows may be one that has expired here: `leased` says so.
    if (GetReason(restored) == v1::ERROR_REASON_STAGE_NOT_FOUND) return leased;
    SD_RETURN_IF_ERROR(restored);
    leased = look_up();
  }
  SD_ASSIGN_OR_RETURN(std::shared_ptr<StageSession> session, std::move(leased));
  if (session->scope() == ScopeFingerprintOfCaller()) return session;
  state.leases.Remove(handle, CurrentCallerName()).IgnoreError();
  return ScopeChanged();
}

}  // namespace

SessionOrError AcquireSession(const QueryState& state, RequestContext& context,
                              const std::string& handle) {
  return FindSession(state, context, handle,
                     [&] { return state.leases.Acquire(handle, CurrentCallerName()); });
}

SessionOrError PeekSession(const QueryState& state, RequestContext& context,
                           const std::string& handle) {
  return FindSession(state, context, handle,
                     [&] { return state.leases.Peek(handle, CurrentCallerName()); });
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> FindSnapshot(const QueryState& state,
                                                                  RequestContext& context,
                                                                  StageSession& session,
                                                                  const std::string& fingerprint) {
  auto snapshot = session.Snapshot(fingerprint);
  if (snapshot.ok()) return snapshot;
  return state.sharing.RestoreSnapshot(context, session, fingerprint);
}

absl::StatusOr<LeasedStage> AcquireStage(const QueryState& state, RequestContext& context,
                                         const v1::StageRef& ref) {
  LeasedStage leased{
      .session = nullptr, .snapshot = nullptr, .sources = SourceCheck(state.stages.sources())};
  SD_ASSIGN_OR_RETURN(leased.session, AcquireSession(state, context, ref.handle()));
  SD_ASSIGN_OR_RETURN(leased.snapshot,
                      FindSnapshot(state, context, *leased.session, ref.snapshot()));
  RequestScope::Adopt(leased.stage().paths());
  if (RequestNotes* const notes = RequestScope::Current().notes) {
    notes->SetSubject(leased.stage().root_layer_stack().root_layer().identifier());
  }
  return leased;
}

}  // namespace stagedoor::server
