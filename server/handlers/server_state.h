#ifndef STAGEDOOR_SERVER_HANDLERS_SERVER_STATE_H_
#define STAGEDOOR_SERVER_HANDLERS_SERVER_STATE_H_

#include <chrono>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "scene/layer/layer_registry.h"
#include "server/server_limits.h"
#include "server/stages/lease_table.h"
#include "server/stages/source_check.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_session.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor {

class CallAdmission;

// What handlers work on. Everything is borrowed and outlives them; thread-safe.
struct ServerState {
  LayerRegistry& layers;
  StageCache& stages;
  LeaseTable& leases;
  const ServerLimits limits;
  const CallAdmission* admission = nullptr;  // for statistics
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

// The stage a request is about, held for as long as the request runs.
struct LeasedStage {
  std::shared_ptr<StageSession> session;
  std::shared_ptr<const StageSnapshot> snapshot;
  SourceCheck sources;  // since the request began

  const Stage& stage() const { return snapshot->stage(); }
  // To be asked before an answer leaves that was made of the stage: of samples or arrays (Read), of
  // anything else (Known). See SourceCheck.
  absl::Status CheckRead() const { return sources.Check(stage()); }
  absl::Status CheckKnownChanges() const { return sources.CheckKnownChanges(stage()); }
};

// From then on the call works for the stage: what it makes of paths goes with that. Errors: those
// of LeaseTable::Acquire and StageSession::Snapshot.
absl::StatusOr<LeasedStage> AcquireStage(ServerState& state, const v1::StageRef& ref);

// RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) for more than `most` of `what`.
absl::Status CheckCount(size_t count, size_t most, std::string_view what);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_SERVER_STATE_H_
