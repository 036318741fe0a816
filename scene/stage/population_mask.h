// PopulationMask: the parts of the namespace that a stage populates.
#ifndef STAGEDOOR_SCENE_STAGE_POPULATION_MASK_H_
#define STAGEDOOR_SCENE_STAGE_POPULATION_MASK_H_

#include <string>
#include <vector>

#include "scene/paths/path.h"

namespace stagedoor {

// A value type. Holds absolute prim paths none of which is below another.
class PopulationMask {
 public:
  // Everything.
  PopulationMask();
  explicit PopulationMask(std::vector<Path> paths);

  const std::vector<Path>& paths() const { return paths_; }
  bool IncludesAll() const { return paths_.size() == 1 && paths_[0].IsAbsoluteRoot(); }
  // At, above or below a path of the mask.
  bool Includes(Path path) const;
  // At or below a path of the mask.
  bool IncludesSubtree(Path path) const;

  // What the mask says below `root`, written relative to it: equal keys populate alike.
  std::string KeyBelow(Path root) const;

  friend bool operator==(const PopulationMask&, const PopulationMask&) = default;

 private:
  std::vector<Path> paths_;  // sorted
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_POPULATION_MASK_H_
