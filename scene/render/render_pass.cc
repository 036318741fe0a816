#include "scene/render/render_pass.h"

#include <utility>

#include "scene/geom/attribute_values.h"
#include "scene/render/render_tokens.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/stage.h"
#include "scene/stage/traversal_budget.h"

namespace stagedoor {
namespace {

constexpr size_t kBytesPerRule = 48;
constexpr size_t kBytesPerRegion = 96;  // a node of the map
constexpr int64_t kStepsPerMembership = 16;

template <typename T>
T ValueOf(RequestContext& context, const Prim& prim, Token name) {
  return AttributeValueAs<T>(context, prim, name, TimeCode::Default()).value_or(T());
}

std::vector<Path> TargetsOf(RequestContext& context, const Prim& prim, Token name) {
  const Relationship relationship = prim.GetRelationship(name);
  return relationship.valid() ? relationship.ForwardedTargets(context) : std::vector<Path>();
}

}  // namespace

std::vector<Prim> ListRenderPasses(RequestContext& context, const Stage& stage) {
  std::vector<Prim> passes;
  TraversalBudget visits(stage);
  for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::Default())) {
    if (!visits.Spend(context, prim)) break;
    if (!prim.IsA(Render().RenderPass)) continue;
    if (!context.Reserve(sizeof(Prim), "render passes").ok()) break;
    passes.push_back(prim);
  }
  return passes;
}

RenderPass ReadRenderPass(RequestContext& context, const Prim& pass) {
  return {.type = ValueOf<Token>(context, pass, Render().passType),
          .command = ValueOf<Array<std::string>>(context, pass, Render().command),
          .file_name = ValueOf<AssetPath>(context, pass, Render().fileName),
          .sources = TargetsOf(context, pass, Render().renderSource),
          .inputs = TargetsOf(context, pass, Render().inputPasses)};
}

RenderPassMembership::RenderPassMembership(RequestContext& context, const Prim& pass)
    : pacer_(context), reserved_(context), regions_(context) {
  for (const std::string_view name : kCollections) {
    CollectionMembershipQuery query = Collection(pass, Token(name)).ComputeMembershipQuery(context);
    const size_t bytes = query.rules().rules().size() * kBytesPerRule;
    if (!reserved_.Grow(bytes, "the rules of render passes").ok()) return;
    // A collection without members counts as one with an expression, which matches nothing.
    if (query.mode() == CollectionMembershipQuery::Mode::kExpression) {
      has_expressions_ |= query.MayInclude();
    } else if (!regions_.Add(query.rules())) {
      return;
    }
    queries_.push_back(std::move(query));
  }
}

uint8_t RenderPassMembership::Find(Path prim) {
  unsigned members = 0;
  for (size_t i = 0; i < queries_.size() && pacer_.Go(kStepsPerMembership); ++i) {
    if (queries_[i].Includes(prim)) members |= 1U << i;
  }
  return static_cast<uint8_t>(members);
}

uint8_t RenderPassMembership::Find(const Prim& prim) {
  if (has_expressions_) return Find(prim.path());
  const auto [it, is_new] = members_by_region_.try_emplace(regions_.Of(prim), uint8_t{0});
  if (!is_new) return it->second;
  reserved_.Grow(kBytesPerRegion, "the members of render passes").IgnoreError();
  return it->second = Find(prim.path());
}

}  // namespace stagedoor
