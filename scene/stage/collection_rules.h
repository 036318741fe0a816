#ifndef STAGEDOOR_SCENE_STAGE_COLLECTION_RULES_H_
#define STAGEDOOR_SCENE_STAGE_COLLECTION_RULES_H_

#include <cstdint>
#include <unordered_map>

#include "scene/paths/path.h"
#include "scene/paths/token.h"

namespace stagedoor {

enum class CollectionRule : uint8_t {
  kExplicitOnly,              // the object alone
  kExpandPrims,               // the object and its descendant prims
  kExpandPrimsAndProperties,  // the same, and the properties of all these prims
  kExclude,
  kUnknown,  // an invalid expansionRule: as in OpenUSD, includes as kExpandPrims, but lists nothing
};

// Parses the value of an `expansionRule` attribute; kUnknown if it is not an allowed token.
CollectionRule ParseCollectionRule(Token expansion_rule);

// The paths that a collection's includes and excludes select (Core Specification 15.2, "Authoring
// and Evaluating Collections"). Corresponds to OpenUSD's
// UsdCollectionMembershipQuery::PathExpansionRuleMap.
//
// Each rule applies to a path and its descendants, except explicitOnly, which applies to the path
// alone. The nearest rule at or above a path decides. Not thread-safe while it is filled.
class CollectionRules {
 public:
  // Replaces any rule at `path`.
  void Set(Path path, CollectionRule rule) { rules_[path] = rule; }
  // Adds the rules of an included collection, which replace existing rules at the same paths.
  void Include(const CollectionRules& nested);

  // Whether a rule at `at` decides about `path`, which is there or below, unless a closer one does.
  static bool Applies(CollectionRule rule, Path at, Path path);
  // `path` is the absolute path of a prim or property, which need not exist.
  bool Includes(Path path) const;

  bool empty() const { return rules_.empty(); }
  const std::unordered_map<Path, CollectionRule>& rules() const { return rules_; }

 private:
  std::unordered_map<Path, CollectionRule> rules_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_COLLECTION_RULES_H_
