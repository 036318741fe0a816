// CollectionRules: which paths the includes and excludes of a collection take in.
//
// Each rule stands at a path and reaches what is below it. The nearest rules decide; explicit ones
// reach nothing below.
#ifndef STAGEDOOR_SCENE_STAGE_COLLECTION_RULES_H_
#define STAGEDOOR_SCENE_STAGE_COLLECTION_RULES_H_

#include <cstdint>
#include <unordered_map>

#include "scene/paths/path.h"
#include "scene/paths/token.h"

namespace stagedoor {

enum class CollectionRule : uint8_t {
  kExplicitOnly,              // the object itself
  kExpandPrims,               // and the prims below
  kExpandPrimsAndProperties,  // and their properties
  kExclude,
  kUnknown,  // an expansion rule that is none: takes nothing in
};

// Of an `expansionRule` attribute's value.
CollectionRule ParseCollectionRule(Token expansion_rule);

class CollectionRules {
 public:
  // Replaces the rule at that path.
  void Set(Path path, CollectionRule rule) { rules_[path] = rule; }
  // Those of an included collection, over what is there.
  void Include(const CollectionRules& nested);

  // Of prims and properties by absolute path, existing or not.
  bool Includes(Path path) const;

  bool empty() const { return rules_.empty(); }
  const std::unordered_map<Path, CollectionRule>& rules() const { return rules_; }

 private:
  std::unordered_map<Path, CollectionRule> rules_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_COLLECTION_RULES_H_
