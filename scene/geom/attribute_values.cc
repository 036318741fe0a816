#include "scene/geom/attribute_values.h"

namespace stagedoor {

Value AttributeValue(RequestContext& context, const Prim& prim, Token name, TimeCode time) {
  const Attribute attribute = prim.GetAttribute(name);
  return attribute.valid() ? attribute.Get(context, time) : Value();
}

bool HasAuthoredValue(RequestContext& context, const Attribute& attribute) {
  if (!attribute.valid()) return false;
  const AttributeSource source = attribute.Compile(context);
  // Lower kinds stand for the fallback of the schema and for no value.
  return source.kind() >= ResolveInfoSource::kDefault && !source.blocked();
}

bool HasAuthoredValue(RequestContext& context, const Prim& prim, Token name) {
  return HasAuthoredValue(context, prim.GetAttribute(name));
}

}  // namespace stagedoor
