#ifndef STAGEDOOR_SERVER_HANDLERS_PATH_SET_STATE_H_
#define STAGEDOOR_SERVER_HANDLERS_PATH_SET_STATE_H_

#include "server/server_limits.h"
#include "server/stages/path_set_store.h"

namespace stagedoor::server {

// Where lists of paths are kept that requests name. Borrowed; outlives all calls. Thread-safe.
struct PathSetState {
  PathSetStore& path_sets;
  const ServerLimits limits;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_PATH_SET_STATE_H_
