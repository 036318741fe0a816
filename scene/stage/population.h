#ifndef STAGEDOOR_SCENE_STAGE_POPULATION_H_
#define STAGEDOOR_SCENE_STAGE_POPULATION_H_

#include <functional>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/reservation.h"
#include "scene/composition/layer_stack.h"
#include "scene/paths/path_scope.h"
#include "scene/stage/prim_data.h"
#include "scene/stage/prim_table.h"
#include "scene/values/value.h"

namespace stagedoor {

class PrimDefinitionCache;

// The prims of a stage. Internal to scene/stage. Corresponds to the prims that UsdStage keeps,
// without what it knows beside them.
//
// Filled in by the Populator, then immutable and thread-safe. Shared by the snapshots of a stage
// that have the same prims (SessionEdit).
struct Population {
  using LayerStacks = std::vector<std::shared_ptr<const LayerStack>>;

  Population(MemoryPool* pool, std::shared_ptr<PathScope> paths,
             std::shared_ptr<PrimDefinitionCache> definitions);
  ~Population();

  // Calls visit(prim) for every prim, including those of prototypes, until it returns false.
  void VisitPrims(const std::function<bool(const PrimData&)>& visit) const;
  // The layer stacks that contribute behind arcs, without duplicates.
  const LayerStacks& ReferencedStacks() const;

  const std::shared_ptr<PathScope> paths;  // above what has paths, so that it is destroyed last
  Reservation memory;
  const std::shared_ptr<PrimDefinitionCache> definitions;  // null without schemas
  Value fallback_prim_types;
  PrimData root;
  std::vector<std::unique_ptr<Prototype>> prototypes;
  PrimTable table;
  // The sites of the root layer stack, without variant selections, that contribute to prims at
  // other paths: targets of internal references, classes and such.
  std::unordered_set<Path> shared_sites;

 private:
  friend class Populator;

  mutable Mutex mu_;
  // Empty until they are needed, unless the composer knows them.
  mutable std::shared_ptr<const LayerStacks> referenced_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_POPULATION_H_
