#include "scene/stage/rule_regions.h"

#include "base/heap_costs.h"

namespace stagedoor {

// Whether `path` is new.
bool RuleRegions::Insert(Path path, std::unordered_set<Path>* set) {
  if (!set->insert(path).second) return false;
  reserved_.Grow(kNodeBytes, "the rules of collections").IgnoreError();  // ends the request
  return true;
}

bool RuleRegions::Add(const CollectionRules& rules) {
  for (const auto& [path, rule] : rules.rules()) {
    if (!pacer_.Go()) return false;
    Insert(path, &paths_);
    for (Path at = path.Parent(); !at.empty() && Insert(at, &above_); at = at.Parent()) {
      if (!pacer_.Go()) return false;
    }
  }
  return pacer_.Go();
}

RuleRegions::Region RuleRegions::Of(const Prim& prim) const {
  // Below an instance without rules, prims are in one region.
  const bool is_inside =
      prim.IsInstanceProxy() && above_.find(prim.instance_path()) == above_.end();
  const Path path = is_inside ? prim.instance_path() : prim.path();
  for (Path at = path; !at.empty(); at = at.Parent()) {
    if (paths_.find(at) != paths_.end()) {
      return {.path = at, .is_below = is_inside || !(at == path)};
    }
  }
  return {};
}

}  // namespace stagedoor
