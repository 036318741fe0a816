// The predicates of path expressions on a stage: "//{kind:component and not isa:Camera}".
//
//   abstract, defined, model, group         f, f:false
//   kind(names…, strict=false)              its kind is one of these, or derives from one
//   specifier(words…)                       def, over, class
//   isa(types…, strict=false)               its schema type
//   hasAPI(schemas…, instanceName=name)
//   variant(set=pattern…)                   all selections match, as glob patterns
#ifndef STAGEDOOR_SCENE_STAGE_PRIM_PREDICATES_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_PREDICATES_H_

#include "scene/paths/predicate_expression.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The function exists and takes these arguments.
bool IsPrimPredicate(const PredicateCall& call);

// False for what is no predicate.
bool PrimPredicateHolds(const Prim& prim, const PredicateCall& call);

// Of a property of `prim`: abstract and defined ask about the prim, the others are false.
bool PropertyPredicateHolds(const Prim& prim, const PredicateCall& call);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_PREDICATES_H_
