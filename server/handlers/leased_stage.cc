#include "server/handlers/leased_stage.h"

#include <utility>

#include "base/request_notes.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/caller.h"
#include "server/error_info.h"
#include "server/handlers/caller_scope.h"

namespace stagedoor::server {

namespace {

// Ends the lease if the caller may not read the assets of its session any more.
absl::StatusOr<std::shared_ptr<StageSession>> CheckScope(
    ServerState& state, std::string_view handle,
    absl::StatusOr<std::shared_ptr<StageSession>> leased) {
  SD_ASSIGN_OR_RETURN(std::shared_ptr<StageSession> session, std::move(leased));
  if (session->scope() == ScopeFingerprintOfCaller()) return session;
  state.leases.Remove(handle, CurrentCallerName()).IgnoreError();
  return WithReason(FailedPreconditionError("the assets that the caller may read have changed; "
                                            "open the stage again"),
                    v1::ERROR_REASON_LEASE_EXPIRED);
}

}  // namespace

absl::StatusOr<std::shared_ptr<StageSession>> AcquireSession(ServerState& state,
                                                             std::string_view handle) {
  return CheckScope(state, handle, state.leases.Acquire(handle, CurrentCallerName()));
}

absl::StatusOr<std::shared_ptr<StageSession>> PeekSession(ServerState& state,
                                                          std::string_view handle) {
  return CheckScope(state, handle, state.leases.Peek(handle, CurrentCallerName()));
}

absl::StatusOr<LeasedStage> AcquireStage(ServerState& state, const v1::StageRef& ref) {
  LeasedStage leased{
      .session = nullptr, .snapshot = nullptr, .sources = SourceCheck(state.stages.sources())};
  SD_ASSIGN_OR_RETURN(leased.session, AcquireSession(state, ref.handle()));
  SD_ASSIGN_OR_RETURN(leased.snapshot, leased.session->Snapshot(ref.snapshot()));
  WorkScope::Adopt(leased.stage().paths());
  if (RequestNotes* const notes = RequestNotes::Current()) {
    notes->SetSubject(leased.stage().root_layer_stack().root_layer().identifier());
  }
  return leased;
}

}  // namespace stagedoor::server
