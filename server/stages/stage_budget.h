#ifndef STAGEDOOR_SERVER_STAGES_STAGE_BUDGET_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_BUDGET_H_

#include <cstddef>

#include "absl/status/status.h"
#include "base/memory_account.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

// What all stages together may hold in memory, open and idle ones, of all clients: prims, prim
// indexes, compiled attributes and whatever else is kept about them, each thing once however many
// stages share it; session layers given as text; and of the layer cache what stands above its own
// budget, because only layers that stages hold stay there.
//
// Thread-safe; outlives all stages. Reading it costs a few loads.
class StageBudget {
 public:
  // `layers` outlives it.
  StageBudget(const LayerRegistry& layers, size_t limit) : layers_(layers), account_(limit) {}

  // What stages are charged to.
  MemoryAccount* account() { return &account_; }
  size_t limit() const { return account_.limit(); }
  size_t used() const { return account_.used() + ExcessOfLayers(); }
  bool over() const { return used() > limit(); }

  // RESOURCE_EXHAUSTED (BUDGET_EXHAUSTED) when over, with advice to try again.
  absl::Status Check() const;

 private:
  size_t ExcessOfLayers() const;

  const LayerRegistry& layers_;
  MemoryAccount account_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_BUDGET_H_
