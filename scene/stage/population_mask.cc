#include "scene/stage/population_mask.h"

#include <algorithm>

#include "base/strings.h"

namespace stagedoor {

PopulationMask::PopulationMask() : paths_{Path::AbsoluteRoot()} {}

PopulationMask::PopulationMask(std::vector<Path> paths) {
  std::sort(paths.begin(), paths.end());
  // Descendants sort right after their ancestor, so comparing with the last path kept is enough.
  for (const Path path : paths) {
    if (paths_.empty() || !path.HasPrefix(paths_.back())) paths_.push_back(path);
  }
}

bool PopulationMask::Includes(Path path) const {
  const auto below = std::lower_bound(paths_.begin(), paths_.end(), path);
  return (below != paths_.end() && below->HasPrefix(path)) || IncludesSubtree(path);
}

// As no path of the mask is below another, only the last one that does not sort after `path` can be
// at or above it.
bool PopulationMask::IncludesSubtree(Path path) const {
  const auto after = std::upper_bound(paths_.begin(), paths_.end(), path);
  return after != paths_.begin() && path.HasPrefix(*std::prev(after));
}

std::string PopulationMask::KeyBelow(Path root) const {
  std::string key;
  for (auto it = std::lower_bound(paths_.begin(), paths_.end(), root);
       it != paths_.end() && it->HasPrefix(root); ++it) {
    key += Concat(it->MakeRelative(root).ToString(), ';');
  }
  return key;
}

}  // namespace stagedoor
