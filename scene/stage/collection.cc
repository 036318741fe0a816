#include "scene/stage/collection.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "base/status.h"
#include "base/strings.h"
#include "scene/schema/prim_definition.h"
#include "scene/stage/collection_predicate_library.h"
#include "scene/stage/path_expressions.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"
#include "scene/stage/traversal_budget.h"
#include "scene/values/path_expression_value.h"

namespace stagedoor {
namespace {

constexpr std::string_view kPrefix = "collection:";
constexpr std::string_view kProperties[] = {"excludes", "expansionRule", "includeRoot",
                                            "includes", "mode",          "membershipExpression"};
// Limits for collections that include or refer to other collections. Content beyond them is
// ignored, except that an expression over kMaxExpressionWork fails the request.
constexpr size_t kMaxCollectionNesting = 64;
constexpr size_t kMaxVisits = 65536;
constexpr size_t kMaxReferences = 4096;
constexpr size_t kPartsPerVisit = 1024;
constexpr size_t kMaxExpressionWork = size_t{1} << 20;
constexpr size_t kStepsPerPart = 4;    // cost of matching one part of an expression
constexpr int64_t kStepsPerRead = 64;  // cost of reading an attribute or relationship

Token PropertyName(Token collection, std::string_view property) {
  return Token(Concat(kPrefix, collection.text(), ":", property));
}

void SortUnique(std::vector<Path>* paths) {
  std::sort(paths->begin(), paths->end());
  paths->erase(std::unique(paths->begin(), paths->end()), paths->end());
}

}  // namespace

CollectionMembershipQuery::CollectionMembershipQuery(const Stage* stage, PathExpression expression,
                                                     CollectionRule rule)
    : stage_(stage),
      expression_(std::move(expression)),
      lists_matches_(rule != CollectionRule::kUnknown),
      matches_properties_(rule == CollectionRule::kExpandPrimsAndProperties) {}

bool CollectionMembershipQuery::Includes(Path path) const {
  if (!rules_.empty()) return rules_.Includes(path);
  return MatchesExpression(path);
}

PathPattern::PredicateEvaluator CollectionMembershipQuery::MakePredicateEvaluator() const {
  return [this](Path object, const PredicateCall& call) {
    const Prim prim = stage_->FindPrim(object.PrimPath());
    if (!prim.valid()) return false;
    return object.IsPrim() ? EvaluatePrimPredicate(prim, call)
                           : EvaluatePropertyPredicate(prim, call);
  };
}

bool CollectionMembershipQuery::MatchesExpression(Path path) const {
  return expression_.Matches(path, MakePredicateEvaluator());
}

// Follows OpenUSD's search: the properties of a member prim are not matched one by one. They are
// members if the expression matches all descendants of the prim.
void CollectionMembershipQuery::AddMatching(RequestContext& context, PrimFlagsPredicate predicate,
                                            std::vector<Path>* members) const {
  const PathPattern::PredicateEvaluator holds = MakePredicateEvaluator();
  TraversalBudget visits(*stage_);
  Pacer pacer(context);
  const auto steps = static_cast<int64_t>(1 + kStepsPerPart * expression_.work());
  for (const Prim& prim : stage_->Traverse(predicate)) {
    if (!visits.Spend(context, prim) || !pacer.Go(steps)) return;
    const Path path = prim.path();
    const PathPattern::MatchResult match = expression_.MatchPrim(path, holds);
    if (match.holds) members->push_back(path);
    if (!matches_properties_ || match.holds != match.constant) continue;
    for (const Token name : prim.PropertyNames()) {
      if (!pacer.Go(match.holds ? 1 : steps)) return;
      const Path property = path.AppendProperty(name);
      if (match.holds || expression_.Matches(property, holds)) members->push_back(property);
    }
  }
}

std::vector<Path> CollectionMembershipQuery::Members(RequestContext& context,
                                                     PrimFlagsPredicate predicate) const {
  std::vector<Path> members;
  if (lists_matches_ && !expression_.IsNothing()) AddMatching(context, predicate, &members);
  for (const auto& [path, rule] : rules_.rules()) {
    if (!context.Spend(1).ok()) return members;
    if (rule == CollectionRule::kExclude || rule == CollectionRule::kUnknown) continue;
    if (path.IsProperty()) {
      if (rules_.Includes(path) && stage_->FindProperty(path).valid()) members.push_back(path);
    } else if (rule == CollectionRule::kExplicitOnly) {
      const Prim prim = stage_->FindPrim(path);
      if (rules_.Includes(path) && prim.valid() && predicate(prim.data().flags)) {
        members.push_back(path);
      }
    } else if (!IsReachedFromAbove(path, rule)) {
      AddReached(context, path, rule, predicate, &members);
    }
  }
  SortUnique(&members);
  return members;
}

// True if a traversal from an ancestor with the same rule, or a wider one, reaches `path` anyway,
// so that deeply nested includes are not walked repeatedly. Instance proxies are excepted, because
// the traversal from above does not necessarily visit them.
bool CollectionMembershipQuery::IsReachedFromAbove(Path path, CollectionRule rule) const {
  if (stage_->FindPrim(path).IsInstanceProxy()) return false;
  for (Path at = path.Parent(); !at.empty(); at = at.Parent()) {
    const auto above = rules_.rules().find(at);
    if (above != rules_.rules().end() &&
        (above->second == rule || above->second == CollectionRule::kExpandPrimsAndProperties)) {
      return true;
    }
  }
  return false;
}

void CollectionMembershipQuery::AddReached(RequestContext& context, Path from, CollectionRule rule,
                                           PrimFlagsPredicate predicate,
                                           std::vector<Path>* members) const {
  const Prim root = stage_->FindPrim(from);
  if (!root.valid()) return;
  const bool properties = rule == CollectionRule::kExpandPrimsAndProperties;
  TraversalBudget visits(*stage_);
  Pacer pacer(context);
  for (const Prim& prim : PrimRange(root, predicate)) {
    if (!visits.Spend(context, prim) || !pacer.Go()) return;
    if (prim.IsPseudoRoot()) continue;
    const Path path = prim.path();
    if (rules_.Includes(path)) members->push_back(path);
    if (!properties) continue;
    for (const Token name : prim.PropertyNames()) {
      if (!pacer.Go()) return;
      const Path property = path.AppendProperty(name);
      if (rules_.Includes(property)) members->push_back(property);
    }
  }
}

std::vector<Collection> Collection::AllOf(const Prim& prim) {
  std::vector<Collection> collections;
  constexpr std::string_view kSchema = "CollectionAPI:";
  for (const Token applied : prim.AppliedSchemas()) {
    const std::string_view name = applied.text();
    if (name.starts_with(kSchema)) {
      collections.emplace_back(prim, Token(name.substr(kSchema.size())));
    }
  }
  return collections;
}

Token Collection::NameOf(Path path) {
  if (!path.IsProperty()) return Token();
  const std::string_view name = path.name().text();
  if (!name.starts_with(kPrefix)) return Token();
  const std::string_view last = name.substr(name.rfind(':') + 1);
  if (std::find(std::begin(kProperties), std::end(kProperties), last) != std::end(kProperties)) {
    return Token();
  }
  return Token(name.substr(kPrefix.size()));
}

Path Collection::path() const {
  return prim_.path().AppendProperty(Token(Concat(kPrefix, name_.text())));
}

Value Collection::Get(RequestContext& context, std::string_view property) const {
  const Attribute attribute = prim_.GetAttribute(PropertyName(name_, property));
  return attribute.valid() ? attribute.Get(context, TimeCode::Default()) : Value();
}

std::vector<Path> Collection::Targets(RequestContext& context,
                                      std::string_view relationship) const {
  const Relationship found = prim_.GetRelationship(PropertyName(name_, relationship));
  return found.valid() ? found.Targets(context) : std::vector<Path>();
}

bool Collection::IsAuthored() const {
  return std::any_of(std::begin(kProperties), std::end(kProperties), [&](std::string_view name) {
    const Property property = prim_.GetProperty(PropertyName(name_, name));
    return property.valid() && property.IsAuthored();
  });
}

CollectionRule Collection::RuleOfIncludes(RequestContext& context) const {
  const Value value = Get(context, "expansionRule");
  const Token* word = value.Get<Token>();
  return word ? ParseCollectionRule(*word) : CollectionRule::kExpandPrims;
}

bool Collection::IncludesRoot(RequestContext& context, CollectionRule rule) const {
  const Value value = Get(context, "includeRoot");
  const bool* root = value.Get<bool>();
  return root && *root && rule != CollectionRule::kExplicitOnly;
}

bool Collection::IncludesRoot(RequestContext& context) const {
  return IncludesRoot(context, RuleOfIncludes(context));
}

std::string Collection::ExpressionText(RequestContext& context) const {
  const Value value = Get(context, "membershipExpression");
  const PathExpressionValue* expression = value.Get<PathExpressionValue>();
  return expression ? expression->text : std::string();
}

// The state of collecting the rules of a collection and, recursively, of those that it includes.
struct Collection::Walk {
  std::vector<Path> within;                        // the chain of including collections
  std::unordered_map<Path, CollectionRules> done;  // complete rules, not truncated by a cycle
  size_t visits = 0;
  bool met_cycle = false;
};

CollectionMembershipQuery Collection::ComputeMembershipQuery(RequestContext& context) const {
  CollectionRules rules;
  const Value mode = Get(context, "mode");
  const Token* word = mode.Get<Token>();
  if (!word || word->text() != "expression") {
    Walk walk;
    rules = CollectRules(context, &walk);
  }
  // By default the rules apply if there are any, else the expression.
  const bool rules_only = word && word->text() == "relationship";
  if (!rules.empty() || rules_only) {
    return CollectionMembershipQuery(&prim_.stage(), std::move(rules));
  }
  std::vector<Path> within;
  size_t visits = 0;
  PathExpression expression = Expression(context, &within, &visits);
  // As in OpenUSD, one unknown predicate invalidates the whole expression.
  bool valid = true;
  expression.ForEachCall(
      [&](const PredicateCall& call) { valid = valid && IsCollectionPredicate(call); });
  if (!valid) expression = PathExpression();
  return CollectionMembershipQuery(&prim_.stage(), std::move(expression), Rule(context));
}

CollectionRule Collection::Rule(RequestContext& context) const {
  const Value value = Get(context, "expansionRule");
  const Token* word = value.Get<Token>();
  // For expressions, unlike for rules, an empty token means the fallback.
  return word && !word->empty() ? ParseCollectionRule(*word) : CollectionRule::kExpandPrims;
}

// `within` is the chain of collections whose expressions refer to this one.
PathExpression Collection::Expression(RequestContext& context, std::vector<Path>* within,
                                      size_t* visits) const {
  if (++*visits > kMaxReferences || within->size() >= kMaxCollectionNesting)
    return PathExpression();
  const Token name = PropertyName(name_, "membershipExpression");
  const Attribute attribute = prim_.GetAttribute(name);
  if (!attribute.valid()) return PathExpression();
  const AttributeSource source = attribute.CompileDefault(context);
  const Value value = source.ValueAt(context, TimeCode::Default(), Interpolation::kHeld);
  const PathExpressionValue* text = value.Get<PathExpressionValue>();
  if (!text || !source.opinion() || !context.Spend(kStepsPerRead).ok()) {
    return PathExpression();
  }
  within->push_back(path());
  PathExpression resolved =
      ComposePathExpression(context, prim_, name, source, text->text, TimeCode::Default())
          .ResolveReferences([&](Path prim_path, const std::string& collection) {
            const Prim prim = prim_path.empty() ? prim_ : prim_.stage().FindPrim(prim_path);
            if (!prim.valid()) return PathExpression();
            const Collection referred(prim, Token(collection));
            if (std::find(within->begin(), within->end(), referred.path()) != within->end()) {
              return PathExpression();
            }
            return referred.Expression(context, within, visits);
          });
  within->pop_back();
  // Expressions can double at each reference, so large ones count as several references.
  *visits += resolved.work() / kPartsPerVisit;
  if (resolved.work() > kMaxExpressionWork || !context.Spend(resolved.work()).ok()) {
    context.Fail(ResourceExhaustedError(
        path().ToString(), ": the membership expression and those it refers to have more than ",
        kMaxExpressionWork, " parts; simplify them"));
    return PathExpression();
  }
  return resolved;
}

CollectionRules Collection::CollectRules(RequestContext& context, Walk* walk) const {
  CollectionRules rules;
  if (++walk->visits > kMaxVisits || walk->within.size() >= kMaxCollectionNesting) return rules;
  if (!context.Spend(kStepsPerRead).ok()) return rules;
  const CollectionRule rule = RuleOfIncludes(context);
  // Whether this collection's own includes meet a cycle, apart from what was met before.
  const bool met_cycle_before = std::exchange(walk->met_cycle, false);
  walk->within.push_back(path());
  for (const Path target : Targets(context, "includes")) {
    if (NameOf(target).empty()) {
      rules.Set(target, rule);
    } else {
      const CollectionRules nested = RulesOf(context, target, walk);
      // The rules of a collection are copied to every collection that includes it.
      if (!context.Spend(1 + nested.rules().size()).ok()) return rules;
      rules.Include(nested);
    }
  }
  walk->within.pop_back();
  // The collection's own rule for the root replaces those of the collections it includes.
  if (IncludesRoot(context, rule)) rules.Set(Path::AbsoluteRoot(), rule);
  for (const Path target : Targets(context, "excludes"))
    rules.Set(target, CollectionRule::kExclude);
  if (!walk->met_cycle) walk->done.emplace(path(), rules);
  walk->met_cycle |= met_cycle_before;
  return rules;
}

// The rules of the included collection `target`; empty if including it would close a cycle.
CollectionRules Collection::RulesOf(RequestContext& context, Path target, Walk* walk) const {
  if (const auto done = walk->done.find(target); done != walk->done.end()) return done->second;
  if (std::find(walk->within.begin(), walk->within.end(), target) != walk->within.end()) {
    walk->met_cycle = true;
    return CollectionRules();
  }
  const Prim prim = prim_.stage().FindPrim(target.PrimPath());
  if (!prim.valid()) return CollectionRules();
  return Collection(prim, NameOf(target)).CollectRules(context, walk);
}

}  // namespace stagedoor
