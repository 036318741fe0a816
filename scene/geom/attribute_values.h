// Helpers that read the value of a prim's attribute by name. Thread-safe.
#ifndef STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_
#define STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_

#include <optional>

#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor {

// Empty if the prim has no attribute of that name, or it has no value at `time`.
Value AttributeValue(RequestContext& context, const Prim& prim, Token name, TimeCode time);

// The same as a T; empty also if the value has another type.
template <typename T>
std::optional<T> AttributeValueAs(RequestContext& context, const Prim& prim, Token name,
                                  TimeCode time) {
  const Value value = AttributeValue(context, prim, name, time);
  const T* held = value.Get<T>();
  return held ? std::optional<T>(*held) : std::nullopt;
}

// As Attribute::HasAuthoredValue; false if the prim has no attribute of that name.
bool HasAuthoredValue(RequestContext& context, const Prim& prim, Token name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_
