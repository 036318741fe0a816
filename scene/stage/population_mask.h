#ifndef STAGEDOOR_SCENE_STAGE_POPULATION_MASK_H_
#define STAGEDOOR_SCENE_STAGE_POPULATION_MASK_H_

#include <string>
#include <vector>

#include "scene/paths/path.h"

namespace stagedoor {

// The parts of the namespace that a stage populates (Core Specification 11.3, "Populating the
// Stage"). Corresponds to OpenUSD's UsdStagePopulationMask.
//
// A value type. Holds absolute prim paths, none of which is a descendant of another.
class PopulationMask {
 public:
  // Includes everything.
  PopulationMask();
  explicit PopulationMask(std::vector<Path> paths);

  const std::vector<Path>& paths() const { return paths_; }
  bool IncludesAll() const { return paths_.size() == 1 && paths_[0].IsAbsoluteRoot(); }
  // True if `path` is at, above or below a path of the mask: the prim is populated.
  bool Includes(Path path) const;
  // True if `path` is at or below a path of the mask: all its descendants are populated too.
  bool IncludesSubtree(Path path) const;

  // The part of the mask at and below `root`, as text relative to it. Two prims with equal keys
  // populate the same descendants.
  std::string KeyBelow(Path root) const;

  friend bool operator==(const PopulationMask&, const PopulationMask&) = default;

 private:
  std::vector<Path> paths_;  // sorted
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_POPULATION_MASK_H_
