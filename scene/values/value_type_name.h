#ifndef STAGEDOOR_SCENE_VALUES_VALUE_TYPE_NAME_H_
#define STAGEDOOR_SCENE_VALUES_VALUE_TYPE_NAME_H_

#include <cstdint>
#include <string_view>

#include "scene/paths/token.h"
#include "scene/values/value.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// The semantic role of a value (section 6.5 Semantic Aliases For Types).
enum class ValueRole : uint8_t {
  kNone,
  kPoint,
  kNormal,
  kVector,
  kColor,
  kTextureCoordinate,
  kFrame,
  kGroup,
  kTransform,
  kPointIndex,
  kEdgeIndex,
  kFaceIndex,
};

// The meaning of a type name of an attribute or dictionary entry, such as "point3f[]". Corresponds
// to OpenUSD's SdfValueTypeName; see the Core Specification, sections 6.2 to 6.5.
//
// The table is fixed. It has the names of the Core Specification and older ones that OpenUSD still
// reads ("PointFloat", "Vec3f", "PointIndex"). Layers may use unknown names; values of such
// attributes are kept as UnregisteredValue. Thread-safe; entries live as long as the process.
struct ValueTypeName {
  Token name;  // as looked up
  // The current name of the same type, such as "point3f[]" for "PointFloat[]".
  Token canonical;
  ValueType type;  // of one element; kEmpty for "opaque" and "group", which have no values
  bool is_array = false;
  ValueRole role = ValueRole::kNone;
  // True for a name that layer text may use for values, but not as the type of an attribute
  // ("Schema").
  bool text_only = false;
};

// Null for unknown names.
const ValueTypeName* FindValueTypeName(Token name);
// Finds a type without interning `name`; null for unknown names.
const ValueTypeName* FindValueTypeName(std::string_view name);

// The name of a type without a role, such as "float3[]" for kVec3f and true. The empty token for
// types that are not element types.
Token ValueTypeNameOf(ValueType type, bool is_array);
// The type name with which `value` is written in a dictionary; the empty token if it has none.
Token ValueTypeNameOf(const Value& value);

// The default value of a type: zero, the empty string, the identity for matrices and quaternions,
// or an empty array. Empty for opaque types.
Value DefaultValueOf(const ValueTypeName& type);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_VALUE_TYPE_NAME_H_
