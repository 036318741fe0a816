// TypeName: what the type name of an attribute or dictionary entry ("point3f[]") means.
//
// The table is fixed: the names of the Core Specification and the older ones that OpenUSD still
// reads ("PointFloat", "Vec3f", "PointIndex"). Unknown names are legal in layers: values of such
// attributes are kept as UnregisteredValue. Thread-safe; entries live as long as the process.
#ifndef STAGEDOOR_SCENE_VALUES_TYPE_NAME_H_
#define STAGEDOOR_SCENE_VALUES_TYPE_NAME_H_

#include <cstdint>
#include <string_view>

#include "scene/paths/token.h"
#include "scene/values/value.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// What a value stands for, beyond its components.
enum class Role : uint8_t {
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

struct TypeName {
  Token name;  // as written
  // The current name of the same type: "point3f[]" for "PointFloat[]".
  Token canonical;
  ValueType type;  // of one element; kEmpty for "opaque" and "group", which have no values
  bool is_array = false;
  Role role = Role::kNone;
  // Text reads values of it, but no attribute has it as its type ("Schema").
  bool text_only = false;
};

// Null for unknown names.
const TypeName* FindTypeName(Token name);
// As above, without interning `name`.
const TypeName* FindTypeName(std::string_view name);

// The name of a type without role: ("float3[]" for kVec3f and true). The empty token for types that
// are no element types.
Token TypeNameOf(ValueType type, bool is_array);
// The name under which `value` is written into a dictionary; the empty token for what has none.
Token TypeNameOf(const Value& value);

// Zero, the empty string, the identity (matrices, quaternions) or an empty array; empty for opaque
// types.
Value DefaultValueOf(const TypeName& type);

// "Point", "TextureCoordinate" …; empty for none.
std::string_view RoleWord(Role role);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_TYPE_NAME_H_
