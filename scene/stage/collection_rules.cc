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

bool CollectionRules::Applies(CollectionRule rule, Path at, Path path) {
  switch (rule) {
    case CollectionRule::kExclude:
    case CollectionRule::kExpandPrimsAndProperties:
      return true;
    case CollectionRule::kExpandPrims:
    case CollectionRule::kUnknown:
      return at == path || path.IsPrimOrRoot();
    case CollectionRule::kExplicitOnly:
      return at == path;
  }
  return false;
}

bool CollectionRules::Includes(Path path) const {
  if (path.IsAbsoluteRoot()) return false;  // as in OpenUSD, also with includeRoot
  for (Path at = path; !at.empty(); at = at.Parent()) {
    const auto found = rules_.find(at);
    // A rule that does not apply to `path` does not end the search; the next one above may.
    if (found != rules_.end() && Applies(found->second, at, path)) {
      return found->second != CollectionRule::kExclude;
    }
  }
  return false;
}

}  // namespace stagedoor
