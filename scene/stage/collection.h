// Collection: a named set of prims and properties, of which CollectionAPI schemas on a prim tell.
//
//   for (const Collection& c : Collection::AllOf(prim)) {
//     const CollectionMembership members = c.ComputeMembership(context);
//     for (Path path : members.Members(context, PrimPredicate::Default())) …
//
// Handles are valid as long as their stage. Thread-safe.
#ifndef STAGEDOOR_SCENE_STAGE_COLLECTION_H_
#define STAGEDOOR_SCENE_STAGE_COLLECTION_H_

#include <cstdint>
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

// Which objects a collection has. Immutable.
class CollectionMembership {
 public:
  // Where a collection has both, `mode` and then the rules decide.
  enum class Mode : uint8_t { kRules, kExpression };

  CollectionMembership(const Stage* stage, CollectionRules rules)
      : stage_(stage), rules_(std::move(rules)) {}
  // `rule`: whether members are prims only, prims and properties, or nothing at all.
  CollectionMembership(const Stage* stage, PathExpressionTree expression, CollectionRule rule);

  // kExpression also for collections of nothing.
  Mode mode() const { return rules_.empty() ? Mode::kExpression : Mode::kRules; }
  const CollectionRules& rules() const { return rules_; }
  // Without references.
  const PathExpressionTree& expression() const { return expression_; }

  // Of a prim or property by absolute path.
  bool Includes(Path path) const;
  // Prims that the predicate lets through and, where the rule has them, their properties; by path.
  // Below instances only with the predicate's instance proxies, or where the collection names such
  // a prim. Incomplete once the context is done.
  std::vector<Path> Members(RequestContext& context, PrimPredicate predicate) const;

 private:
  bool IsReachedFromAbove(Path path, CollectionRule rule) const;
  void AddReached(RequestContext& context, Path from, CollectionRule rule, PrimPredicate predicate,
                  std::vector<Path>* members) const;

  PathPattern::Holds Holds() const;
  bool MatchesExpression(Path path) const;
  void AddMatching(RequestContext& context, PrimPredicate predicate,
                   std::vector<Path>* members) const;

  const Stage* stage_;
  CollectionRules rules_;
  PathExpressionTree expression_;
  bool matches_properties_ = false;
};

class Collection {
 public:
  // `name` is the instance name of the CollectionAPI; it need not be applied.
  Collection(Prim prim, Token name) : prim_(prim), name_(name) {}

  // Those applied to `prim`, in the order of its applied schemas.
  static std::vector<Collection> AllOf(const Prim& prim);
  // The name of the collection that "/P.collection:NAME" addresses; empty for other paths, such as
  // that of a property of the schema.
  static Token NameOf(Path path);

  const Prim& prim() const { return prim_; }
  Token name() const { return name_; }
  Path path() const;

  // Follows collections that it includes or its expression refers to; those that come back to
  // themselves are left out. An expression with a predicate that does not exist has no members.
  CollectionMembership ComputeMembership(RequestContext& context) const;

 private:
  Value Get(RequestContext& context, std::string_view property) const;
  std::vector<Path> Targets(RequestContext& context, std::string_view relationship) const;
  PathExpressionTree Expression(RequestContext& context, std::vector<Path>* within,
                                size_t* visits) const;
  CollectionRule Rule(RequestContext& context) const;
  struct Walk;
  CollectionRules CollectRules(RequestContext& context, Walk* walk) const;
  CollectionRules RulesOf(RequestContext& context, Path target, Walk* walk) const;

  Prim prim_;
  Token name_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_COLLECTION_H_
