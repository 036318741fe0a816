// Small helpers of the queries: the value of a prim's attribute as one C++ type.
#ifndef STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_
#define STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_

#include <optional>

#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor {

// Empty where there is no such attribute or value.
Value AttributeValue(RequestContext& context, const Prim& prim, Token name, Time time);

template <typename T>
std::optional<T> AttributeValueAs(RequestContext& context, const Prim& prim, Token name,
                                  Time time) {
  const Value value = AttributeValue(context, prim, name, time);
  const T* held = value.Get<T>();
  return held ? std::optional<T>(*held) : std::nullopt;
}

// Whether samples, a spline, clips or a default give it a value (UsdAttribute::HasAuthoredValue).
bool HasAuthoredValue(RequestContext& context, const Attribute& attribute);
bool HasAuthoredValue(RequestContext& context, const Prim& prim, Token name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_
