#ifndef STAGEDOOR_SCENE_VALUE_RESOLUTION_PROPERTY_WALK_H_
#define STAGEDOOR_SCENE_VALUE_RESOLUTION_PROPERTY_WALK_H_

#include <cstdint>
#include <vector>

#include "scene/composition/prim_index.h"
#include "scene/layer/layer.h"
#include "scene/paths/token.h"

namespace stagedoor {

// The walk over the opinions about one property, strongest first, that all queries share.
// Corresponds to OpenUSD's Usd_Resolver.

// A property spec at one site of a prim index.
struct PropertyOpinion {
  const Layer* layer = nullptr;
  SpecId spec = kNoSpec;
  uint32_t site = 0;  // index into PrimIndex::prim_stack()
};

// Calls visit(opinion) for each spec of the property, strongest first, until it returns false.
template <typename Visit>
void WalkProperty(const PrimIndex& index, Token name, Visit visit) {
  const auto sites = index.prim_stack();
  for (uint32_t i = 0; i < sites.size(); ++i) {
    const SpecId spec = sites[i].layer->tree().FindProperty(sites[i].spec, name);
    if (spec != kNoSpec && !visit(PropertyOpinion{sites[i].layer, spec, i})) return;
  }
}

// All specs of the property. Corresponds to UsdProperty::GetPropertyStack without clips.
std::vector<PropertyOpinion> PropertyStack(const PrimIndex& index, Token name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUE_RESOLUTION_PROPERTY_WALK_H_
