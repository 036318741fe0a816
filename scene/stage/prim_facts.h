// Facts of a prim that need its index only.
#ifndef STAGEDOOR_SCENE_STAGE_PRIM_FACTS_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_FACTS_H_

#include <vector>

#include "base/request_context.h"
#include "scene/composition/prim_index.h"
#include "scene/paths/token.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// The strongest def or class. A class that comes over a direct inherit arc is weaker than any
// other: a prim is no class for inheriting one.
Specifier ComposeSpecifier(const PrimIndex& index);

// The strongest type name that is not empty.
Token ComposeTypeName(const PrimIndex& index);

// The strongest value of a field, without merging; `fallback` when no site has one of that type.
template <typename T>
T StrongestField(const PrimIndex& index, Token field, T fallback) {
  for (const PrimSite& site : index.sites()) {
    if (auto value = site.layer->GetAs<T>(site.spec, field)) return *std::move(value);
  }
  return fallback;
}

// The authored apiSchemas, list ops applied: items are work of the request. Incomplete once that
// has ended.
std::vector<Token> ComposeApiSchemas(RequestContext& context, const PrimIndex& index);

// The kinds OpenUSD registers: group, assembly (groups), component (models).
bool KindIsModel(Token kind);
bool KindIsGroup(Token kind);
bool KindIsComponent(Token kind);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_FACTS_H_
