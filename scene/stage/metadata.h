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

// Value resolution of metadata fields (Core Specification 12.2, "Metadata Resolution"): the
// strongest opinion wins, dictionaries merge key by key (12.2.5), list ops apply over weaker ones
// (12.2.6).

// One spec that may hold an opinion about a field.
struct SpecHandle {
  const Layer* layer;
  SpecId spec;
  uint32_t site;  // index into PrimIndex::prim_stack()
};

// The specs of a prim, or of one of its properties, strongest first. For the pseudo-root, only
// those in the session layer and the root layer, because sublayers do not contribute layer metadata
// (Core Specification 12.2.7).
std::vector<SpecHandle> PrimSpecHandles(const PrimIndex& index, bool pseudo_root);
std::vector<SpecHandle> PropertySpecHandles(const PrimIndex& index, Token property);

// Translates the time codes and asset paths of a single opinion, given its site, to the stage.
using ResolveField = std::function<Value(RequestContext&, Value, const SpecHandle&)>;

// Returns the composed value of a field; `fallback`, which may be null, is the weakest opinion. A
// composed list op is explicit. Each dictionary entry and list item counts as a step of the
// request; once the request is over, the result is unspecified. An opinion whose memory was refused
// fails the request (scene/values/refused_value.h).
Value ComposeField(RequestContext& context, const std::vector<SpecHandle>& sites, Token field,
                   const Value* fallback, const ResolveField& resolve);

// Returns the strongest opinion, else the fallback, which may be null. For a field that is neither
// merged nor translated (kind, instanceable …), that is the composed value. Cheap: it reads at most
// one field per site.
Value StrongestOpinion(const std::vector<SpecHandle>& sites, Token field, const Value* fallback);

// A metadata field as composed.
struct MetadataField {
  Token name;
  Value value;
  bool authored = false;  // false if the value is the schema's fallback
};

// Returns all fields except the structural ones, sorted by name. `fallbacks`, which may be null,
// are those of the schema. Incomplete once the request is over.
std::vector<MetadataField> ComposeAllFields(RequestContext& context,
                                            const std::vector<SpecHandle>& sites,
                                            const std::vector<std::pair<Token, Value>>* fallbacks,
                                            const ResolveField& resolve);

// The names of all fields authored at the sites, sorted and without duplicates.
std::vector<Token> AuthoredFields(const std::vector<SpecHandle>& sites);

// True for fields that are not reported as metadata: namespace children, composition arcs, values
// and targets, and the fields with their own accessors (specifier, type name, variability, custom).
bool IsStructuralField(Token field);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_METADATA_H_
