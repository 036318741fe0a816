#include "scene/stage/load_rules.h"

#include "base/strings.h"

namespace stagedoor {

LoadRules LoadRules::None() {
  LoadRules rules;
  rules.rules_[Path::AbsoluteRoot()] = Rule::kNone;
  return rules;
}

void LoadRules::EraseBelow(Path path) {
  const auto begin = rules_.lower_bound(path);
  auto end = begin;
  while (end != rules_.end() && end->first.HasPrefix(path)) ++end;  // descendants sort next to it
  rules_.erase(begin, end);
}

void LoadRules::Load(Path path, bool with_descendants) {
  EraseBelow(path);
  if (with_descendants && rules_.empty() && path.IsAbsoluteRoot())
    return;  // the default without rules
  rules_[path] = with_descendants ? Rule::kAll : Rule::kOnly;
}

void LoadRules::Unload(Path path) {
  EraseBelow(path);
  rules_[path] = Rule::kNone;
}

LoadRules::Rule LoadRules::EffectiveRule(Path path) const {
  for (Path p = path; !p.empty(); p = p.Parent()) {
    const auto it = rules_.find(p);
    if (it == rules_.end()) continue;
    // kOnly does not load descendants.
    if (it->second == Rule::kOnly) return p == path ? Rule::kOnly : Rule::kNone;
    return it->second;
  }
  return Rule::kAll;
}

bool LoadRules::IsLoaded(Path path) const {
  if (rules_.empty() || EffectiveRule(path) != Rule::kNone) return true;
  // A loaded descendant may exist only behind this payload.
  for (auto it = rules_.lower_bound(path); it != rules_.end(); ++it) {
    if (!it->first.HasPrefix(path)) break;
    if (it->second != Rule::kNone) return true;
  }
  return false;
}

std::string LoadRules::KeyBelow(Path root) const {
  if (rules_.empty()) return std::string();
  // The rule in effect at the root covers those of ancestors.
  std::string key = Concat(static_cast<int>(EffectiveRule(root)), ';');
  for (auto it = rules_.upper_bound(root); it != rules_.end() && it->first.HasPrefix(root); ++it) {
    key += Concat(it->first.MakeRelative(root).ToString(), '=', static_cast<int>(it->second), ';');
  }
  return key;
}

}  // namespace stagedoor
