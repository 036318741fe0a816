#ifndef STAGEDOOR_SERVER_SESSIONS_SESSION_STATE_H_
#define STAGEDOOR_SERVER_SESSIONS_SESSION_STATE_H_

#include "server/sessions/asset_state.h"
#include "server/sessions/query_state.h"
#include "server/stages/request_id_table.h"
#include "server/stages/session_table.h"
#include "server/stages/stage_watches.h"

namespace stagedoor::server {

class SessionFollower;

// Where stages are opened for leases, edited, watched and closed. The objects are borrowed and
// outlive all calls. Thread-safe.
struct SessionState {
  const AssetState assets;
  const QueryState queries;
  SessionTable& sessions;
  RequestIdTable& opened;     // the handles that repeatable calls of OpenStage returned
  SessionFollower& follower;  // of sessions that follow changes
  StageWatches& watches;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_SESSION_STATE_H_
