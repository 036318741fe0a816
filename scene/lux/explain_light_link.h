#ifndef STAGEDOOR_SCENE_LUX_EXPLAIN_LIGHT_LINK_H_
#define STAGEDOOR_SCENE_LUX_EXPLAIN_LIGHT_LINK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/collection_rules.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// A rule of a light's collection, at a prim or at one of its ancestors.
struct LightLinkRule {
  enum class Outcome : uint8_t {
    kDecides,
    kCloserDecides,  // a rule closer to the prim decides
    kOnlyItself,     // explicitOnly at an ancestor, which does not apply to descendants
  };
  Path path;
  CollectionRule rule;
  Outcome outcome;
};

// Whether a prim is linked to a light, and why.
struct LightLinkExplanation {
  enum class Reason : uint8_t {
    kNotALight,    // nor a light filter, for filterLink; nothing is linked to it
    kRule,         // a rule that includes or excludes the prim or an ancestor
    kIncludeRoot,  // includeRoot is true, and no rule is closer
    kDefault,      // nothing of the collection is authored; the fallback of includeRoot is true
    kNoRule,       // the collection has rules, but none that applies to the prim
    kExpression,   // whether the membership expression matches
    kEmpty,        // the collection has neither rules nor an expression
  };
  bool is_linked = false;
  Reason reason = Reason::kNotALight;
  std::vector<LightLinkRule> rules;  // the closest one first
  // For kExpression: the value of the attribute membershipExpression. References to other
  // collections are not replaced.
  std::string expression;
};

// Explains why `path`, the absolute path of a prim, is in a collection of `light` or is not.
// `name` is "lightLink", "shadowLink" or "filterLink". Meaningless once the request is over.
// Corresponds to OpenUSD's UsdCollectionMembershipQuery::IsPathIncluded.
LightLinkExplanation ExplainLightLink(RequestContext& context, const Prim& light, Token name,
                                      Path path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LUX_EXPLAIN_LIGHT_LINK_H_
