#include "server/handlers/server_state.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "server/errors.h"

namespace stagedoor {

absl::StatusOr<StageUse> UseStage(ServerState& state, const v1::StageRef& ref) {
  StageUse use{
      .session = nullptr, .snapshot = nullptr, .sources = SourceCheck(state.stages.sources())};
  SD_ASSIGN_OR_RETURN(use.session, state.leases.Use(ref.handle()));
  SD_ASSIGN_OR_RETURN(use.snapshot, use.session->Snapshot(ref.snapshot()));
  WorkScope::Adopt(use.stage().paths());
  return use;
}

absl::Status CheckCount(size_t count, size_t most, std::string_view what) {
  if (count <= most) return absl::OkStatus();
  return WithReason(
      ResourceExhaustedError("the request has ", count, " ", what, ", the limit is ", most),
      reason::kRequestTooLarge);
}

}  // namespace stagedoor
