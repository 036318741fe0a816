#ifndef STAGEDOOR_SERVER_HANDLERS_CACHE_STATE_H_
#define STAGEDOOR_SERVER_HANDLERS_CACHE_STATE_H_

#include "scene/engine/remote_backends.h"
#include "scene/layer/layer_registry.h"
#include "server/frame_memory/frame_memory.h"
#include "server/handlers/upstream_report.h"
#include "server/server_limits.h"
#include "server/stages/path_set_store.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {

// The caches of the daemon; those of clips are in the environment of `stages`. The objects are
// borrowed and outlive all calls. Thread-safe.
struct CacheState {
  LayerRegistry& layers;
  StageCache& stages;
  PathSetStore& path_sets;
  FrameMemory& frames;
  const RemoteBackends& remote;
  UpstreamReport& upstream;
  const ServerLimits limits;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_CACHE_STATE_H_
