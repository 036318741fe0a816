#ifndef STAGEDOOR_SCENE_STAGE_COLLECTION_H_
#define STAGEDOOR_SCENE_STAGE_COLLECTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/path.h"
#include "scene/paths/path_expression.h"
#include "scene/paths/token.h"
#include "scene/stage/collection_rules.h"
#include "scene/stage/prim.h"

namespace stagedoor {

class Stage;

// The objects of a collection. Corresponds to OpenUSD's UsdCollectionMembershipQuery. Immutable.
class CollectionMembershipQuery {
 public:
  // Whether includes and excludes or the membership expression define the members. If a collection
  // has both, its attribute `mode` decides; by default the rules do.
  enum class Mode : uint8_t { kRules, kExpression };

  CollectionMembershipQuery(const Stage* stage, CollectionRules rules)
      : stage_(stage), rules_(std::move(rules)) {}
  // All references of `expression` to other collections must be resolved. `rule` determines whether
  // the listed members are prims only, prims and properties, or (kUnknown) nothing.
  CollectionMembershipQuery(const Stage* stage, PathExpression expression, CollectionRule rule);

  // kExpression also for a collection without members.
  Mode mode() const { return rules_.empty() ? Mode::kExpression : Mode::kRules; }
  const CollectionRules& rules() const { return rules_; }
  // False if nothing can be a member.
  bool MayInclude() const { return !rules_.empty() || !expression_.IsNothing(); }

  // `path` is the absolute path of a prim or property.
  bool Includes(Path path) const;
  // The member prims that pass the predicate and, if the rule includes them, their properties,
  // sorted by path. Descendants of instances are included only if the predicate visits instance
  // proxies or the collection names one. Incomplete once the request is over.
  std::vector<Path> Members(RequestContext& context, PrimFlagsPredicate predicate) const;

 private:
  bool IsReachedFromAbove(Path path, CollectionRule rule) const;
  void AddReached(RequestContext& context, Path from, CollectionRule rule,
                  PrimFlagsPredicate predicate, std::vector<Path>* members) const;

  PathPattern::PredicateEvaluator MakePredicateEvaluator() const;
  bool MatchesExpression(Path path) const;
  void AddMatching(RequestContext& context, PrimFlagsPredicate predicate,
                   std::vector<Path>* members) const;

  const Stage* stage_;
  CollectionRules rules_;
  PathExpression expression_;
  bool lists_matches_ = true;
  bool matches_properties_ = false;
};

// A named set of prims and properties, described by an instance of the CollectionAPI schema on a
// prim (Core Specification 15, "Collections"). Corresponds to OpenUSD's UsdCollectionAPI.
//
//   for (const Collection& c : Collection::AllOf(prim)) {
//     const CollectionMembershipQuery members = c.ComputeMembershipQuery(context);
//     for (Path path : members.Members(context, PrimFlagsPredicate::Default())) …
//
// Handles are valid as long as their stage. Thread-safe.
class Collection {
 public:
  // `name` is the instance name of the CollectionAPI; it need not be applied.
  Collection(Prim prim, Token name) : prim_(prim), name_(name) {}

  // The collections applied to `prim`, in the order of its applied schemas.
  static std::vector<Collection> AllOf(const Prim& prim);
  // The name of the collection that "/P.collection:NAME" addresses; empty for any other path,
  // including those of the schema's own properties ("/P.collection:NAME:includes").
  static Token NameOf(Path path);

  const Prim& prim() const { return prim_; }
  Token name() const { return name_; }
  Path path() const;

  // Whether any property of the collection has an opinion.
  bool IsAuthored() const;
  // Whether includeRoot makes a rule at the root, which replaces those of included collections.
  bool IncludesRoot(RequestContext& context) const;
  // The text of the membership expression, in which references to other collections are not
  // replaced.
  std::string ExpressionText(RequestContext& context) const;

  // Follows the collections that this one includes or its expression refers to; a reference that
  // closes a cycle is ignored. An expression with an unknown predicate has no members.
  CollectionMembershipQuery ComputeMembershipQuery(RequestContext& context) const;

 private:
  Value Get(RequestContext& context, std::string_view property) const;
  std::vector<Path> Targets(RequestContext& context, std::string_view relationship) const;
  PathExpression Expression(RequestContext& context, std::vector<Path>* within,
                            size_t* visits) const;
  CollectionRule Rule(RequestContext& context) const;
  CollectionRule RuleOfIncludes(RequestContext& context) const;
  bool IncludesRoot(RequestContext& context, CollectionRule rule) const;
  struct Walk;
  CollectionRules CollectRules(RequestContext& context, Walk* walk) const;
  CollectionRules RulesOf(RequestContext& context, Path target, Walk* walk) const;

  Prim prim_;
  Token name_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_COLLECTION_H_
