#include "server/handlers/server_state.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "server/error_info.h"

namespace stagedoor {

absl::StatusOr<LeasedStage> AcquireStage(ServerState& state, const v1::StageRef& ref) {
  LeasedStage leased{
      .session = nullptr, .snapshot = nullptr, .sources = SourceCheck(state.stages.sources())};
  SD_ASSIGN_OR_RETURN(leased.session, state.leases.Acquire(ref.handle()));
  SD_ASSIGN_OR_RETURN(leased.snapshot, leased.session->Snapshot(ref.snapshot()));
  WorkScope::Adopt(leased.stage().paths());
  return leased;
}

absl::Status CheckCount(size_t count, size_t most, std::string_view what) {
  if (count <= most) return absl::OkStatus();
  return WithReason(
      ResourceExhaustedError("the request has ", count, " ", what, "; the limit is ", most),
      reason::kRequestTooLarge);
}

}  // namespace stagedoor
