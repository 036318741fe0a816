#include "scene/lux/explain_light_link.h"

#include "scene/lux/light_list.h"
#include "scene/stage/collection.h"

namespace stagedoor {
namespace {

using Reason = LightLinkExplanation::Reason;
using Outcome = LightLinkRule::Outcome;

// The rules at `path` and above it.
std::vector<LightLinkRule> RulesAbove(const CollectionRules& rules, Path path) {
  std::vector<LightLinkRule> found;
  bool is_decided = false;
  for (Path at = path; !at.empty(); at = at.Parent()) {
    const auto rule = rules.rules().find(at);
    if (rule == rules.rules().end()) continue;
    Outcome outcome = is_decided ? Outcome::kCloserDecides : Outcome::kDecides;
    if (!CollectionRules::Applies(rule->second, at, path)) outcome = Outcome::kOnlyItself;
    is_decided |= outcome == Outcome::kDecides;
    found.push_back({.path = at, .rule = rule->second, .outcome = outcome});
  }
  return found;
}

Reason ReasonOf(RequestContext& context, const Collection& collection,
                const std::vector<LightLinkRule>& rules) {
  for (const LightLinkRule& rule : rules) {
    if (rule.outcome != Outcome::kDecides) continue;
    if (!rule.path.IsAbsoluteRoot() || rule.rule == CollectionRule::kExclude ||
        !collection.IncludesRoot(context)) {
      return Reason::kRule;
    }
    return collection.IsAuthored() ? Reason::kIncludeRoot : Reason::kDefault;
  }
  return Reason::kNoRule;
}

}  // namespace

LightLinkExplanation ExplainLightLink(RequestContext& context, const Prim& light, Token name,
                                      Path path) {
  LightLinkExplanation found;
  const bool is_filter_link = name.text() == "filterLink";
  if (!(is_filter_link ? IsLightFilter(light) : IsLight(light))) return found;
  const Collection collection(light, name);
  const CollectionMembershipQuery query = collection.ComputeMembershipQuery(context);
  found.is_linked = query.Includes(path);
  if (query.mode() == CollectionMembershipQuery::Mode::kRules) {
    found.rules = RulesAbove(query.rules(), path);
    found.reason = ReasonOf(context, collection, found.rules);
    return found;
  }
  found.expression = collection.ExpressionText(context);
  found.reason = found.expression.empty() ? Reason::kEmpty : Reason::kExpression;
  return found;
}

}  // namespace stagedoor
