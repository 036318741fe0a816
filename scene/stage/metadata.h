// Composition of metadata fields: strongest wins, dictionaries merge key by key, list ops apply
// over weaker ones (Core Specification, "metadata value resolution").
#ifndef STAGEDOOR_SCENE_STAGE_METADATA_H_
#define STAGEDOOR_SCENE_STAGE_METADATA_H_

#include <functional>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/composition/prim_index.h"
#include "scene/layer/layer.h"
#include "scene/paths/token.h"
#include "scene/values/value.h"

namespace stagedoor {

// One spec that may hold a field.
struct FieldSite {
  const Layer* layer;
  SpecId spec;
  uint32_t site;  // index into PrimIndex::sites()
};

// The specs of a prim, or of one of its properties, strongest first. Those of the pseudo-root are
// the session layer and the root layer only: sublayers have no say.
std::vector<FieldSite> PrimFieldSites(const PrimIndex& index, bool pseudo_root);
std::vector<FieldSite> PropertyFieldSites(const PrimIndex& index, Token property);

// Finishes a single opinion: translates time codes and asset paths. Given the opinion's site.
using FinishField = std::function<Value(RequestContext&, Value, const FieldSite&)>;

// The composed field; `fallback` (may be null) is the weakest opinion. List ops come out explicit.
// Entries of dictionaries and items of lists are work of the request; anything once that has ended.
Value ComposeField(RequestContext& context, const std::vector<FieldSite>& sites, Token field,
                   const Value* fallback, const FinishField& finish);

// The strongest opinion, else the fallback (may be null): the composed value of a field that is
// neither merged nor translated (kind, instanceable …), for a look at each site at most.
Value StrongestOpinion(const std::vector<FieldSite>& sites, Token field, const Value* fallback);

// A metadata field as composed.
struct MetadataField {
  Token name;
  Value value;
  bool authored = false;  // false: only the schema gives it
};

// Every field but the structural ones, sorted by name; `fallbacks` (may be null) are the schema's.
// Incomplete once the context has ended.
std::vector<MetadataField> ComposeAllFields(RequestContext& context,
                                            const std::vector<FieldSite>& sites,
                                            const std::vector<std::pair<Token, Value>>* fallbacks,
                                            const FinishField& finish);

// Names of all fields authored at the sites, sorted by name, each once.
std::vector<Token> AuthoredFields(const std::vector<FieldSite>& sites);

// True for fields that are not shown as metadata: namespace, arcs, values, targets, and what a prim
// or property states otherwise (specifier, type name, variability, custom).
bool IsStructuralField(Token field);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_METADATA_H_
