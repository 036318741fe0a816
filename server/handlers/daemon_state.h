#ifndef STAGEDOOR_SERVER_HANDLERS_DAEMON_STATE_H_
#define STAGEDOOR_SERVER_HANDLERS_DAEMON_STATE_H_

#include <chrono>

#include "scene/layer/layer_registry.h"
#include "server/handlers/capabilities.h"
#include "server/handlers/upstream_report.h"
#include "server/rpc/call_admission.h"
#include "server/server_limits.h"
#include "server/stages/lease_table.h"
#include "server/stages/session_follower.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {

// The objects that the daemon reports about. Borrowed; they outlive all calls. Thread-safe.
struct DaemonState {
  const LayerRegistry& layers;
  const StageCache& stages;
  const LeaseTable& leases;
  const SessionFollower& follower;
  const CallAdmission& admission;
  const UpstreamReport& upstream;
  const ServerLimits limits;
  const Capabilities capabilities;
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_DAEMON_STATE_H_
