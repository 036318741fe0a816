#include "scene/lux/lit_prims.h"

#include "base/heap_costs.h"
#include "scene/paths/token.h"
#include "scene/schema/prim_definition.h"
#include "scene/stage/prim_data.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

struct SchemaTokens {
  const Token LightAPI{"LightAPI"};
  const Token LightFilter{"LightFilter"};
};
const SchemaTokens& Schemas() {
  static const auto* tokens = new SchemaTokens;
  return *tokens;
}

}  // namespace

LitPrims::LitPrims(RequestContext& context, const Prim& root)
    : pacer_(context),
      reserved_(context),
      has_schemas_(root.stage().environment().schemas != nullptr) {
  Enter(root.data());
  while (!levels_.empty() && pacer_.Go()) {
    Level& level = levels_.back();
    if (level.next != level.end) {
      Enter(*level.next++);
    } else {
      levels_.pop_back();
    }
  }
}

void LitPrims::Enter(const PrimData& prim) {
  const PrimData* children = &prim;
  if (prim.prototype != nullptr) {
    children = &prim.prototype->root;
    if (!seen_.insert(prim.prototype).second) {
      // Its children are known.
      if (IsLit(prim) || lit_.count(children) != 0) AddWithAncestors(prim);
      return;
    }
    reserved_.Grow(kNodeBytes, "prims with lights").IgnoreError();  // which ends the request
  }
  if (IsLit(prim)) AddWithAncestors(prim);
  const auto span = children->child_span();
  if (!span.empty()) levels_.push_back({&prim, span.data(), span.data() + span.size()});
}

bool LitPrims::IsLit(const PrimData& prim) {
  // A prim without a definition has no schemas, unless none are known at all.
  if (prim.definition == nullptr) return !has_schemas_;
  const auto [it, is_new] = is_light_.try_emplace(prim.definition);
  if (is_new) {
    it->second =
        prim.definition->HasApi(Schemas().LightAPI) || prim.definition->IsA(Schemas().LightFilter);
  }
  return it->second;
}

void LitPrims::AddWithAncestors(const PrimData& prim) {
  if (!Add(prim)) return;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const Prototype* prototype = level->owner->prototype;
    const bool is_new = Add(*level->owner);
    if (prototype != nullptr) Add(prototype->root);
    if (!is_new) return;
  }
}

bool LitPrims::Add(const PrimData& prim) {
  if (!lit_.insert(&prim).second) return false;
  return reserved_.Grow(kNodeBytes, "prims with lights").ok();
}

}  // namespace stagedoor
