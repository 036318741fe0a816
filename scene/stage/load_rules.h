// LoadRules: which payloads of a stage are included (Core Specification, "load rules").
#ifndef STAGEDOOR_SCENE_STAGE_LOAD_RULES_H_
#define STAGEDOOR_SCENE_STAGE_LOAD_RULES_H_

#include <map>
#include <string>

#include "scene/paths/path.h"

namespace stagedoor {

// A value type. The rule of the nearest ancestor-or-self decides; without any rule all is loaded.
class LoadRules {
 public:
  enum class Rule { kAll, kOnly, kNone };  // with descendants; the prim alone; nothing

  static LoadRules All() { return LoadRules(); }
  static LoadRules None();

  void Load(Path path, bool with_descendants);
  void Unload(Path path);
  void Set(Path path, Rule rule) { rules_[path] = rule; }

  // True if the payload of the prim at `path` is included: its own effective rule says so, or it is
  // an ancestor of something that is loaded.
  bool IsLoaded(Path path) const;
  bool loads_all() const { return rules_.empty(); }
  const std::map<Path, Rule>& rules() const { return rules_; }

  // The rules that matter below `root`, written relative to it: equal keys load alike.
  std::string KeyBelow(Path root) const;

  friend bool operator==(const LoadRules&, const LoadRules&) = default;

 private:
  Rule EffectiveRule(Path path) const;
  void EraseBelow(Path path);

  std::map<Path, Rule> rules_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_LOAD_RULES_H_
