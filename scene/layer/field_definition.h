#ifndef STAGEDOOR_SCENE_LAYER_FIELD_DEFINITION_H_
#define STAGEDOOR_SCENE_LAYER_FIELD_DEFINITION_H_

#include <cstdint>
#include <vector>

#include "scene/layer/spec_tree.h"
#include "scene/paths/token.h"
#include "scene/values/value.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// FieldRegistry: the fields that specs may have, the types of their values, and which of them are
// metadata. Corresponds to OpenUSD's SdfSchema; see the Core Specification, sections 7.4.4 (Type
// Registry) and 7.6 (Core Metadata Fields).
//
// Has the fields that OpenUSD's core and its schema domains register. Other fields may still be
// authored and are kept as UnregisteredValue. The table is fixed, hence thread-safe, and its
// entries live as long as the process.

struct FieldDefinition {
  Token name;
  // The type of the field's value; kEmpty for `default`, which may have any type.
  ValueType type = ValueType::kEmpty;
  bool is_array = false;
  // True for metadata, which is authored as `name = value` in the parentheses after a spec. Other
  // fields hold structure and values and have their own syntax.
  bool metadata = false;
  // The value if nothing is authored (section 7.4.8 Fallback Values); empty if there is none.
  Value fallback;

  bool is_list_op() const {
    return type >= ValueType::kTokenListOp && type <= ValueType::kUInt64ListOp;
  }
};

// The neutral value of a type, such as zero or an empty dictionary; empty for types without one.
Value ZeroFieldValue(ValueType type, bool is_array);

// The definition of a field for this type of spec, or null if it is not registered for it. Variants
// have the fields of prims.
const FieldDefinition* FindFieldDefinition(SpecType type, Token name);

// Whether any type of spec has the field.
bool IsRegisteredField(Token name);

// Whether the field is registered for other types of specs, but not for this one. Such a field is
// kept if it is authored, but is not reported as metadata of the spec.
bool IsMisplacedField(SpecType type, Token name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_FIELD_DEFINITION_H_
