#include "scene/composition/layer_stack.h"

#include <unordered_set>

namespace stagedoor {
namespace {

void AddBelow(Path path, const RelocatesMap& relocates, std::unordered_set<Path>* targets,
              std::vector<MapFunction::Pair>* pairs) {
  for (auto it = relocates.lower_bound(path); it != relocates.end() && it->first.HasPrefix(path);
       ++it) {
    if (!it->second.empty() && targets->insert(it->second).second) {
      pairs->emplace_back(it->first, it->second);
    }
  }
}

}  // namespace

MapFunction LayerStack::RelocatesAt(Path path) const {
  if (!has_relocates()) return MapFunction();
  std::vector<MapFunction::Pair> pairs = {{Path::AbsoluteRoot(), Path::AbsoluteRoot()}};
  // Nested relocations are in both maps under one target; the function must stay invertible.
  std::unordered_set<Path> targets;
  AddBelow(path, source_to_target_, &targets, &pairs);
  AddBelow(path, incremental_source_to_target_, &targets, &pairs);
  return MapFunction::Make(std::move(pairs), LayerOffset());
}

}  // namespace stagedoor
