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

// The objects that handlers work on. They are borrowed and outlive all calls. Thread-safe.
struct ServerState {
  LayerRegistry& layers;
  StageCache& stages;
  LeaseTable& leases;
  const ServerLimits limits;
  const CallAdmission* admission = nullptr;  // for call statistics; may be null, which omits them
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

// The stage that a request is about. Keeps its session and snapshot alive while the request runs.
struct LeasedStage {
  std::shared_ptr<StageSession> session;
  std::shared_ptr<const StageSnapshot> snapshot;
  SourceCheck sources;  // covers the time since the request began

  const Stage& stage() const { return snapshot->stage(); }
  // Handlers call one of these before they send a reply that was made from the stage: CheckRead if
  // it holds samples or arrays, else CheckKnownChanges. See SourceCheck.
  absl::Status CheckRead() const { return sources.Check(stage()); }
  absl::Status CheckKnownChanges() const { return sources.CheckKnownChanges(stage()); }
};

// Looks up the stage of a request and renews its lease. Paths that the call creates from then on
// belong to the stage's path scope. Errors: those of LeaseTable::Acquire and
// StageSession::Snapshot.
absl::StatusOr<LeasedStage> AcquireStage(ServerState& state, const v1::StageRef& ref);

// RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) if `count` exceeds `most`. `what` is the plural noun for
// the message: "paths".
absl::Status CheckCount(size_t count, size_t most, std::string_view what);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_SERVER_STATE_H_
