// FieldRegistry: which fields a spec may have, what they hold and which of them are metadata.
//
// What OpenUSD's core and its schema domains register. A field that is not in the table may still
// be authored: it is kept as UnregisteredValue. The table is fixed, hence thread-safe, and its
// entries live as long as the process.
#ifndef STAGEDOOR_SCENE_LAYER_FIELD_REGISTRY_H_
#define STAGEDOOR_SCENE_LAYER_FIELD_REGISTRY_H_

#include <cstdint>
#include <vector>

#include "scene/layer/spec_tree.h"
#include "scene/paths/token.h"
#include "scene/values/value.h"
#include "scene/values/value_type.h"

namespace stagedoor {

struct FieldDefinition {
  Token name;
  // What the field holds. kEmpty for fields of any type (default).
  ValueType type = ValueType::kEmpty;
  bool is_array = false;
  // Authored generically, as `name = value` in the parentheses behind a spec; composed as metadata.
  // The others state structure and values and have a syntax of their own.
  bool metadata = false;
  // The value where nothing is authored; empty for what has none.
  Value fallback;

  bool is_list_op() const {
    return type >= ValueType::kTokenListOp && type <= ValueType::kUInt64ListOp;
  }
};

// The value that says nothing: zero, or what is empty of this type. Empty for types without one.
Value ZeroFieldValue(ValueType type, bool is_array);

// The definition of a field of this type of spec (a variant has those of a prim); null when it is
// not registered for it.
const FieldDefinition* FindField(SpecType type, Token name);

// Whether any type of spec has the field.
bool IsRegisteredField(Token name);

// Whether the field belongs to other types of specs, but not to this one. Such a field may be
// authored; it is kept, but is no part of the spec's answer.
bool IsMisplacedField(SpecType type, Token name);

// All registered metadata fields of this type of spec, by name.
const std::vector<const FieldDefinition*>& MetadataFields(SpecType type);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_FIELD_REGISTRY_H_
