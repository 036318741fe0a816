#ifndef STAGEDOOR_SCENE_STAGE_STAGE_STATISTICS_H_
#define STAGEDOOR_SCENE_STAGE_STAGE_STATISTICS_H_

#include <cstdint>
#include <span>
#include <unordered_map>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

struct PrimCounts {
  uint64_t total = 0;
  uint64_t active = 0;
  uint64_t inactive = 0;
  uint64_t pure_over = 0;  // without a defining specifier
  uint64_t instance = 0;
  uint64_t payload = 0;                       // that have one
  uint64_t unloaded_payload = 0;              // that have one which is not loaded
  std::unordered_map<Token, uint64_t> types;  // by type name, which may be empty
};

// The contents of a stage in numbers. Corresponds to OpenUSD's UsdUtilsComputeUsdStageStats.
// Thread-safe.
struct StageStatistics {
  explicit StageStatistics(RequestContext& context) : reserved(context) {}

  uint64_t used_layers = 0;  // without the session layer and value clips
  uint64_t models = 0;       // components of the model hierarchy
  uint64_t instanced_models = 0;
  uint64_t assets = 0;  // different asset names of these components
  uint64_t prototypes = 0;
  PrimCounts primary;     // prims outside of prototypes, whether they are active, loaded and so on
  PrimCounts prototyped;  // prims of prototypes that pass PrimFlagsPredicate::Default, with roots
  Reservation reserved;   // reservation for the types
};

// Counts the prims at and below `roots`, each once, and those of the prototypes of the instances
// among them and of instances in these prototypes; of the whole stage if there are no roots.
// Errors: those of the context.
absl::StatusOr<StageStatistics> ComputeStageStatistics(RequestContext& context, const Stage& stage,
                                                       std::span<const Prim> roots);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STAGE_STATISTICS_H_
