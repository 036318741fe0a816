#include "scene/stage/collection_rules.h"

#include <string_view>

namespace stagedoor {

CollectionRule ParseCollectionRule(Token expansion_rule) {
  const std::string_view word = expansion_rule.text();
  if (word == "expandPrims") return CollectionRule::kExpandPrims;
  if (word == "expandPrimsAndProperties") return CollectionRule::kExpandPrimsAndProperties;
  if (word == "explicitOnly") return CollectionRule::kExplicitOnly;
  return CollectionRule::kUnknown;
}

void CollectionRules::Include(const CollectionRules& nested) {
  for (const auto& [path, rule] : nested.rules_) rules_[path] = rule;
}

bool CollectionRules::Includes(Path path) const {
  const bool is_prim = path.IsPrimOrRoot();
  for (Path at = path; !at.empty(); at = at.Parent()) {
    const auto found = rules_.find(at);
    if (found == rules_.end()) continue;
    // A rule that does not apply to `path` does not end the search; the next one above may.
    switch (found->second) {
      case CollectionRule::kExclude:
        return false;
      case CollectionRule::kExpandPrimsAndProperties:
        return true;
      case CollectionRule::kExpandPrims:
      case CollectionRule::kUnknown:
        if (is_prim || at == path) return true;
        break;
      case CollectionRule::kExplicitOnly:
        if (at == path) return true;
        break;
    }
  }
  return false;
}

}  // namespace stagedoor
