#include "scene/geom/attribute_values.h"

namespace stagedoor {

Value AttributeValue(RequestContext& context, const Prim& prim, Token name, Time time) {
  const Attribute attribute = prim.GetAttribute(name);
  return attribute.valid() ? attribute.Get(context, time) : Value();
}

bool HasAuthoredValue(RequestContext& context, const Attribute& attribute) {
  if (!attribute.valid()) return false;
  const AttributeSource source = attribute.Compile(context);
  // Kinds below kDefault are no value and the schema's fallback.
  return source.kind() >= SourceKind::kDefault && !source.blocked();
}

bool HasAuthoredValue(RequestContext& context, const Prim& prim, Token name) {
  return HasAuthoredValue(context, prim.GetAttribute(name));
}

}  // namespace stagedoor
