#include "server/handlers/leased_stage.h"

#include "base/status_macros.h"

namespace stagedoor::server {

absl::StatusOr<LeasedStage> AcquireStage(ServerState& state, const v1::StageRef& ref) {
  LeasedStage leased{
      .session = nullptr, .snapshot = nullptr, .sources = SourceCheck(state.stages.sources())};
  SD_ASSIGN_OR_RETURN(leased.session, state.leases.Acquire(ref.handle()));
  SD_ASSIGN_OR_RETURN(leased.snapshot, leased.session->Snapshot(ref.snapshot()));
  WorkScope::Adopt(leased.stage().paths());
  return leased;
}

}  // namespace stagedoor::server
