// Collects the relocations of a layer stack and drops those that break the rules.
#ifndef STAGEDOOR_SCENE_COMPOSITION_RELOCATES_H_
#define STAGEDOOR_SCENE_COMPOSITION_RELOCATES_H_

#include <string_view>
#include <vector>

#include "scene/composition/composition_error.h"
#include "scene/composition/layer_stack.h"

namespace stagedoor {

class RelocatesCollector {
 public:
  // Layers come strongest first; the strongest opinion on a source wins.
  void AddLayer(const Layer& layer);

  struct Result {
    RelocatesMap source_to_target, target_to_source;
    RelocatesMap incremental_source_to_target, incremental_target_to_source;
    CompositionErrors errors;
  };
  Result Finish() &&;

 private:
  void DropSameTargets();
  void DropConflicts();
  Path SourceOrigin(Path source, int depth) const;

  RelocatesMap by_source_;
  RelocatesMap by_target_;
  CompositionErrors errors_;
};

// Why a relocation is invalid on its own; empty when it is fine.
std::string_view RelocationFault(Path source, Path target);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_RELOCATES_H_
