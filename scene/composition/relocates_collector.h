#ifndef STAGEDOOR_SCENE_COMPOSITION_RELOCATES_COLLECTOR_H_
#define STAGEDOOR_SCENE_COMPOSITION_RELOCATES_COLLECTOR_H_

#include <string_view>
#include <vector>

#include "scene/composition/composition_error.h"
#include "scene/composition/layer_stack.h"

namespace stagedoor {

// Collects the relocates of a layer stack and drops those that break the rules (Core Specification,
// 10.3.2.6 Relocates).
//
// Corresponds to OpenUSD's Pcp_ComputeRelocationsForLayerStack. Used once, on one thread.
class RelocatesCollector {
 public:
  // Adds the layerRelocates of a layer. Layers are added strongest first, since the strongest
  // opinion about a source wins.
  void AddLayer(const Layer& layer);

  // The maps of a LayerStack, see there.
  struct Result {
    RelocatesMap source_to_target;
    RelocatesMap incremental_source_to_target, incremental_target_to_source;
    CompositionErrors errors;
  };
  Result Finish() &&;

 private:
  // Drops all relocates that share a target, and those that DropConflicts finds.
  void DropSameTargets();
  // Drops relocates whose source or target another relocate has moved.
  void DropConflicts();
  // The path that a source had before relocates of its ancestors.
  Path SourceOrigin(Path source, int depth) const;

  RelocatesMap by_source_;
  RelocatesMap by_target_;
  CompositionErrors errors_;
};

// Why a relocate is invalid regardless of others, for error messages; empty if it is valid.
std::string_view RelocationFault(Path source, Path target);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_RELOCATES_COLLECTOR_H_
