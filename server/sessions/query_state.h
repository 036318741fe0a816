#ifndef STAGEDOOR_SERVER_SESSIONS_QUERY_STATE_H_
#define STAGEDOOR_SERVER_SESSIONS_QUERY_STATE_H_

#include "server/server_limits.h"
#include "server/stages/lease_table.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {

class SharedSessions;

// Where handlers find the stage of a lease, and how much they may answer. The objects are borrowed
// and outlive all calls. Thread-safe.
struct QueryState {
  StageCache& stages;
  LeaseTable& leases;
  SharedSessions& sharing;  // leases and snapshots that other replicas may know
  const ServerLimits limits;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_QUERY_STATE_H_
