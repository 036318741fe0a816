#ifndef STAGEDOOR_SCENE_EDIT_FIELD_EDITS_H_
#define STAGEDOOR_SCENE_EDIT_FIELD_EDITS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "scene/edit/edited_stage.h"
#include "scene/values/list_op.h"

namespace stagedoor {

// Edits of the fields of prims, properties and the layer. An edit that fails changes nothing. All
// may return the errors of EditedStage::FindPrim and FindProperty.

// The longest key of a dictionary, in keys that are joined by ':'.
inline constexpr size_t kMaxKeys = 32;

// Sets a field of the spec of a prim or property, or at "/" of the layer; an empty value removes
// it, which is no error if there is none. With a `key_path`, sets or removes an entry of a
// dictionary, as UsdObject::SetMetadataByDictKey; dictionaries that become empty are removed.
// Errors: kWrongKind if this kind of spec does not have the field, for a value that cannot be
// converted to its type, and for a key path into something else than a dictionary; kInvalidField
// for fields that have edits of their own or describe the namespace, and a malformed key path.
absl::Status SetField(EditedStage& stage, Path path, Token name, std::string_view key_path,
                      const Value& value);

// Selects a variant; an empty one blocks the selections of weaker layers, none removes that of the
// layer. kInvalidField for a name that no variant can have.
absl::Status SelectVariant(EditedStage& stage, Path path, const std::string& variant_set,
                           const std::optional<std::string>& variant);

// Sets the layer's edit of the targets of a relationship or the connections of an attribute, or
// removes it. A relationship is created if there is no property. Relative targets are anchored to
// the prim; variant selections in them are dropped. kInvalidPath for a target that is not the path
// of a prim or property, or is in a prototype.
absl::Status SetTargets(EditedStage& stage, Path path, const std::optional<ListOp<Path>>& targets,
                        bool custom);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_FIELD_EDITS_H_
