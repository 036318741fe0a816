#ifndef STAGEDOOR_SCENE_STAGE_LOAD_RULES_H_
#define STAGEDOOR_SCENE_STAGE_LOAD_RULES_H_

#include <map>
#include <string>

#include "scene/paths/path.h"

namespace stagedoor {

// The rules that determine which payloads of a stage are loaded (Core Specification 11.3,
// "Populating the Stage"). Corresponds to OpenUSD's UsdStageLoadRules.
//
// A value type. The rule at the nearest prim at or above a path decides; without any rule
// everything is loaded.
class LoadRules {
 public:
  // kAll loads a prim and its descendants, kOnly the prim without its descendants, kNone neither.
  enum class Rule { kAll, kOnly, kNone };

  static LoadRules All() { return LoadRules(); }
  static LoadRules None();

  // Load and Unload replace all rules at and below `path`, as UsdStage's methods of that name do.
  void Load(Path path, bool with_descendants);
  void Unload(Path path);
  // Sets one rule and leaves those of descendants in place.
  void Set(Path path, Rule rule) { rules_[path] = rule; }

  // True if the payload of the prim at `path` is loaded: by its own effective rule, or because a
  // descendant is loaded.
  bool IsLoaded(Path path) const;
  bool loads_all() const { return rules_.empty(); }
  const std::map<Path, Rule>& rules() const { return rules_; }

  // The rules that apply below `root`, as text relative to it. Two prims with equal keys load the
  // same descendants, so instances with equal keys can share a prototype.
  std::string KeyBelow(Path root) const;

  friend bool operator==(const LoadRules&, const LoadRules&) = default;

 private:
  Rule EffectiveRule(Path path) const;
  void EraseBelow(Path path);

  std::map<Path, Rule> rules_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_LOAD_RULES_H_
