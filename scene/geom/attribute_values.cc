#include "scene/geom/attribute_values.h"

namespace stagedoor {

Value AttributeValue(RequestContext& context, const Prim& prim, Token name, TimeCode time) {
  const Attribute attribute = prim.GetAttribute(name);
  return attribute.valid() ? attribute.Get(context, time) : Value();
}

bool HasAuthoredValue(RequestContext& context, const Prim& prim, Token name) {
  return prim.GetAttribute(name).HasAuthoredValue(context);
}

}  // namespace stagedoor
