#ifndef STAGEDOOR_SERVER_SESSIONS_SOURCE_STATE_H_
#define STAGEDOOR_SERVER_SESSIONS_SOURCE_STATE_H_

#include "server/sessions/asset_state.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {

// Where tools find the stage that they work on: the stage of a lease, or one that is opened for the
// call.
struct SourceState {
  const AssetState assets;
  const QueryState queries;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_SOURCE_STATE_H_
