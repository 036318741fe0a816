#ifndef STAGEDOOR_SCENE_EDIT_PRIM_EDITS_H_
#define STAGEDOOR_SCENE_EDIT_PRIM_EDITS_H_

#include "absl/status/status.h"
#include "scene/edit/edited_stage.h"

namespace stagedoor {

// Edits of the namespace. An edit that fails changes nothing.

// Authors a prim as UsdStage::DefinePrim, OverridePrim or CreateClassPrim do. With kDef and kClass,
// ancestors that are not defined become kDefs without a type. What the prim already is is not
// authored again. An empty type name is no opinion. Succeeds even if the prim is not populated,
// because an ancestor is inactive, for example, or the variant of the edit target is not selected.
// Errors: those of EditedStage::FindPrim; kWrongKind for kClass if there is another defined prim.
absl::Status DefinePrim(EditedStage& stage, Path path, Specifier specifier, Token type_name);

// Removes the spec of a prim or property with everything below it. No error if there is none.
// kInvalidPath for other paths, and for "/".
absl::Status RemoveSpec(EditedStage& stage, Path path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_PRIM_EDITS_H_
