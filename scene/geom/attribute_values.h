#ifndef STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_
#define STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_

#include <optional>

#include "scene/stage/prim.h"
#include "scene/stage/property.h"
#include "scene/values/array.h"

namespace stagedoor {

// Helpers that read the value of a prim's attribute by name. Thread-safe.

// Empty if the prim has no attribute of that name, or it has no value at `time`.
Value AttributeValue(RequestContext& context, const Prim& prim, Token name, TimeCode time);

// The value that `holds` accepts, as OpenUSD's typed reads find it: at default time opinions of
// other types are ignored, at numeric times there is no value if the strongest opinion has another
// type. May return a value that `holds` does not accept in place of none.
Value TypedValue(RequestContext& context, const Attribute& attribute, TimeCode time,
                 bool (*holds)(const Value&));

// The value of an attribute as a T.
template <typename T>
std::optional<T> TypedValue(RequestContext& context, const Attribute& attribute, TimeCode time) {
  if (!attribute.valid()) return std::nullopt;
  const Value value =
      TypedValue(context, attribute, time, [](const Value& v) { return v.Is<T>(); });
  const T* held = value.Get<T>();
  return held ? std::optional<T>(*held) : std::nullopt;
}
template <typename T>
std::optional<T> AttributeValueAs(RequestContext& context, const Prim& prim, Token name,
                                  TimeCode time) {
  return TypedValue<T>(context, prim.GetAttribute(name), time);
}

// An array, empty without a value.
template <typename T>
Array<T> AttributeArray(RequestContext& context, const Prim& prim, Token name, TimeCode time) {
  return AttributeValueAs<Array<T>>(context, prim, name, time).value_or(Array<T>());
}

// As Attribute::HasAuthoredValue; false if the prim has no attribute of that name.
bool HasAuthoredValue(RequestContext& context, const Prim& prim, Token name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_ATTRIBUTE_VALUES_H_
