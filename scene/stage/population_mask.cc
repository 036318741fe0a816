#include "scene/stage/population_mask.h"

#include <algorithm>

#include "base/strings.h"

namespace stagedoor {

PopulationMask::PopulationMask() : paths_{Path::AbsoluteRoot()} {}

PopulationMask::PopulationMask(std::vector<Path> paths) {
  std::sort(paths.begin(), paths.end());
  for (const Path path : paths) {
    if (paths_.empty() || !path.HasPrefix(paths_.back())) paths_.push_back(path);
  }
}

bool PopulationMask::Includes(Path path) const {
  return std::any_of(paths_.begin(), paths_.end(),
                     [&](Path p) { return path.HasPrefix(p) || p.HasPrefix(path); });
}

bool PopulationMask::IncludesSubtree(Path path) const {
  return std::any_of(paths_.begin(), paths_.end(), [&](Path p) { return path.HasPrefix(p); });
}

std::string PopulationMask::KeyBelow(Path root) const {
  if (IncludesSubtree(root)) return std::string();
  std::string key;
  for (const Path p : paths_) {
    if (p.HasPrefix(root)) key += Concat(p.MakeRelative(root).ToString(), ';');
  }
  return key;
}

}  // namespace stagedoor
