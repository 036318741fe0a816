#ifndef STAGEDOOR_SERVER_STAGES_CHARGED_LAYER_H_
#define STAGEDOOR_SERVER_STAGES_CHARGED_LAYER_H_

#include <cstddef>
#include <memory>

#include "base/memory_pool.h"
#include "scene/layer/layer.h"

namespace stagedoor::server {

// `layer`, charged with `bytes` until its last holder releases it. For layers that no registry
// accounts for: prim indexes, and so snapshots, may keep them long after a newer one has replaced
// them. `pool` may be null, and outlives the layer.
std::shared_ptr<const Layer> ChargeLayer(MemoryPool* pool, std::shared_ptr<const Layer> layer,
                                         size_t bytes);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_CHARGED_LAYER_H_
