#ifndef STAGEDOOR_SERVER_SESSIONS_ASSET_STATE_H_
#define STAGEDOOR_SERVER_SESSIONS_ASSET_STATE_H_

#include "scene/layer/layer_registry.h"
#include "server/server_limits.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {

class AuditSink;

// Where layers and stages are opened that a request names by their assets. The objects are borrowed
// and outlive all calls. Thread-safe.
struct AssetState {
  LayerRegistry& layers;
  StageCache& stages;
  AuditSink& audit;
  const ServerLimits limits;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_ASSET_STATE_H_
