#ifndef STAGEDOOR_SCENE_STAGE_COLLECTION_PREDICATE_LIBRARY_H_
#define STAGEDOOR_SCENE_STAGE_COLLECTION_PREDICATE_LIBRARY_H_

#include "scene/paths/predicate_expression.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The predicate functions of path expressions over a stage: "//{kind:component and not
// isa:Camera}". Corresponds to the library that OpenUSD's UsdGetCollectionPredicateLibrary returns.
//
//   abstract, defined, model, group         the prim has the flag, or with ":false" lacks it
//   kind(names…, strict=false)              its kind is one of these or derives from one
//   specifier(words…)                       its specifier is one of def, over, class
//   isa(types…, strict=false)               its schema type is one of these or derives from one
//   hasAPI(schemas…, instanceName=name)     one of these schemas is applied
//   variant(set=pattern…)                   all selections match their glob patterns

// True if the function exists and accepts these arguments.
bool IsCollectionPredicate(const PredicateCall& call);

// False for an unknown function or arguments that it does not accept.
bool EvaluatePrimPredicate(const Prim& prim, const PredicateCall& call);

// Evaluates a predicate for a property of `prim`: abstract and defined test the prim, all other
// functions are false.
bool EvaluatePropertyPredicate(const Prim& prim, const PredicateCall& call);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_COLLECTION_PREDICATE_LIBRARY_H_
