#include "scene/geom/attribute_values.h"

#include "scene/layer/field_keys.h"
#include "scene/schema/prim_definition.h"
#include "scene/value_resolution/property_walk.h"
#include "scene/values/value_block.h"

namespace stagedoor {

Value AttributeValue(RequestContext& context, const Prim& prim, Token name, TimeCode time) {
  const Attribute attribute = prim.GetAttribute(name);
  return attribute.valid() ? attribute.Get(context, time) : Value();
}

Value TypedValue(RequestContext& context, const Attribute& attribute, TimeCode time,
                 bool (*holds)(const Value&)) {
  Value value = attribute.Get(context, time);
  if (!time.is_default() || value.empty() || holds(value)) return value;
  const Prim& prim = attribute.prim();
  bool done = false;
  WalkProperty(*prim.index().index, attribute.name(), [&](const PropertyOpinion& opinion) {
    Value held = opinion.layer->Get(opinion.spec, Fields().default_);
    done = held.is_block() || holds(held);
    if (done) value = std::move(held);
    return !done;
  });
  if (done || prim.definition() == nullptr) return value;
  const PropertyDefinition* builtin = prim.definition()->FindProperty(attribute.name());
  return builtin ? builtin->fallback : value;
}

bool HasAuthoredValue(RequestContext& context, const Prim& prim, Token name) {
  return prim.GetAttribute(name).HasAuthoredValue(context);
}

}  // namespace stagedoor
