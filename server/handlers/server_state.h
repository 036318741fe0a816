#ifndef STAGEDOOR_SERVER_HANDLERS_SERVER_STATE_H_
#define STAGEDOOR_SERVER_HANDLERS_SERVER_STATE_H_

#include <chrono>

#include "scene/layer/layer_registry.h"
#include "server/handlers/capabilities.h"
#include "server/server_limits.h"
#include "server/stages/lease_table.h"
#include "server/stages/request_id_table.h"
#include "server/stages/session_table.h"
#include "server/stages/stage_cache.h"

namespace stagedoor {
class RemoteBackends;
}

namespace stagedoor::server {

class AdminControl;
class AuditLog;
class CallAdmission;
class ConnectionCounter;
class MemoryPressure;
class PathSetStore;
class SessionSharing;
class StageFollower;
class StageWatches;

// The objects that handlers work on. They are borrowed and outlive all calls. Thread-safe.
struct ServerState {
  LayerRegistry& layers;
  StageCache& stages;
  LeaseTable& leases;
  SessionTable& sessions;
  RequestIdTable& opened;  // the handles that repeatable calls of OpenStage returned
  PathSetStore& path_sets;
  const ServerLimits limits;
  const Capabilities capabilities = {};
  const CallAdmission* admission = nullptr;  // for call statistics; may be null, which omits them
  StageFollower* follower = nullptr;         // may be null, in which case stages are not followed
  const RemoteBackends* remote = nullptr;    // may be null, in which case no asset is remote
  const MemoryPressure* memory = nullptr;    // may be null, in which case memory is unlimited
  AuditLog* audit = nullptr;  // may be null, in which case decisions about assets are not recorded
  ConnectionCounter* connections = nullptr;  // may be null, in which case they are not counted
  AdminControl* control = nullptr;           // of the process; null if the server is not a daemon
  StageWatches* watches = nullptr;           // may be null, in which case stages are not watched
  SessionSharing* sharing = nullptr;         // null if the daemon has no replicas
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SERVER_STATE_H_
