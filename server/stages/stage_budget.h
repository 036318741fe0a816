#ifndef STAGEDOOR_SERVER_STAGES_STAGE_BUDGET_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_BUDGET_H_

#include <atomic>
#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "base/memory_pool.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor::server {

// The memory budget for all open and idle stages of all clients. It covers prims, prim indexes,
// compiled attributes and other derived data, each counted once regardless of how many stages share
// it; session layers given as text; and the part of the layer cache above the cache's own budget,
// because only layers that stages hold remain there.
//
// Thread-safe; outlives all stages. Reading the usage takes a few atomic loads.
class StageBudget {
 public:
  // `layers` must outlive the budget. `limit` is in bytes.
  StageBudget(const LayerRegistry& layers, size_t limit)
      : layers_(layers), pool_(std::make_shared<MemoryPool>("stages", limit)) {}

  // The pool that stages are charged to.
  MemoryPool* pool() { return pool_.get(); }
  // The pool for owners of something that is charged to it and may outlive the budget: the clip
  // cache of the engine keeps the resolver contexts of stages.
  const std::shared_ptr<MemoryPool>& shared_pool() const { return pool_; }
  size_t limit() const { return pool_->limit(); }
  size_t used() const { return pool_->used() + ExcessOfLayers(); }
  bool over() const { return pressed() || used() > limit(); }

  // While the memory of the process is short, the budget counts as exhausted.
  void SetPressed(bool pressed) { pressed_.store(pressed, std::memory_order_relaxed); }
  bool pressed() const { return pressed_.load(std::memory_order_relaxed); }

  // RESOURCE_EXHAUSTED (BUDGET_EXHAUSTED) with a retry delay if over the limit.
  absl::Status Check() const;

 private:
  size_t ExcessOfLayers() const;

  const LayerRegistry& layers_;
  const std::shared_ptr<MemoryPool> pool_;
  std::atomic<bool> pressed_{false};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_BUDGET_H_
