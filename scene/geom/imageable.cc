#include "scene/geom/imageable.h"

#include <vector>

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"

namespace stagedoor {

bool IsLocallyVisible(RequestContext& context, const Prim& prim, TimeCode time) {
  const auto token = AttributeValueAs<Token>(context, prim, Geom().visibility, time);
  return !token || *token != Geom().invisible;
}

Token ComputeVisibility(RequestContext& context, const Prim& prim, TimeCode time) {
  // Prims that are not imageable neither hide their descendants nor end the inheritance.
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (at.IsA(Geom().Imageable) && !IsLocallyVisible(context, at, time)) return Geom().invisible;
  }
  return Geom().inherited;
}

PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim,
                               const PurposeInfo& parent) {
  if (prim.IsA(Geom().Imageable)) {
    const Attribute purpose = prim.GetAttribute(Geom().purpose);
    if (purpose.HasAuthoredValue(context)) {
      const auto token = TypedValue<Token>(context, purpose, TimeCode::Default());
      // As in OpenUSD, any authored token is accepted. The empty token applies only if there is no
      // purpose to inherit, and is not inheritable itself.
      if (token && !token->empty()) return {*token, true};
      if (token && !parent.inheritable) return {*token, false};
    }
  }
  if (parent.inheritable) return parent;
  return {Geom().default_, false};
}

PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim) {
  std::vector<Prim> chain;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) chain.push_back(at);
  PurposeInfo info{Geom().default_, false};
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    info = ComputePurposeInfo(context, *it, info);
  }
  return info;
}

}  // namespace stagedoor
