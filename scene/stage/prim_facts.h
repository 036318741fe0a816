#ifndef STAGEDOOR_SCENE_STAGE_PRIM_FACTS_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_FACTS_H_

#include <vector>

#include "base/request_context.h"
#include "scene/composition/prim_index.h"
#include "scene/paths/token.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// Properties of a prim that depend on its prim index alone (Core Specification 12.2, "Metadata
// Resolution", and 11.4, "Scene Graph Model Hierarchy"). Pure functions.

// The strongest def or class (Core Specification 12.2.1). A class brought in by a direct inherit is
// weaker than any def, because inheriting from a class does not make a prim a class.
Specifier ComposeSpecifier(const PrimIndex& index);

// The strongest type name that is not empty; empty if there is none.
Token ComposeTypeName(const PrimIndex& index);

// The strongest value of a field, without merging; `fallback` if no site has one of type T.
template <typename T>
T StrongestField(const PrimIndex& index, Token field, T fallback) {
  for (const PrimSpecHandle& site : index.prim_stack()) {
    if (auto value = site.layer->GetAs<T>(site.spec, field)) return *std::move(value);
  }
  return fallback;
}

// The authored apiSchemas with list ops applied. Each item counts as a step of the request.
// Incomplete once the request is over.
std::vector<Token> ComposeApiSchemas(RequestContext& context, const PrimIndex& index);

// The kinds of OpenUSD's KindRegistry. Groups are group and assembly; models are groups, component
// and model.
bool KindIsModel(Token kind);
bool KindIsGroup(Token kind);
bool KindIsComponent(Token kind);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_FACTS_H_
