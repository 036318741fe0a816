#ifndef STAGEDOOR_SCENE_EDIT_VALUE_EDITS_H_
#define STAGEDOOR_SCENE_EDIT_VALUE_EDITS_H_

#include <optional>

#include "absl/status/status.h"
#include "scene/edit/edited_stage.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Edits of the values of attributes. An edit that fails changes nothing. All may return the errors
// of EditedStage::FindProperty.

// How to create an attribute that does not exist. If it exists, a type name must be that of the
// attribute, and the rest is ignored.
struct AttributeCreation {
  Token type_name;  // empty if the attribute must exist
  bool custom = false;
  Variability variability = Variability::kVarying;
};

// Sets the default value, or a time sample at a numeric time of the stage. The value may be a
// block, and the default value also an animation block or a spline, which is authored beside the
// default. Values are converted to the type of the attribute (CastValue), and times in them are
// mapped to the layer. Corresponds to UsdAttribute::Set. Errors: kAttributeNotFound; kWrongKind for
// a relationship, a type that is unknown or not that of the attribute, and a value that cannot be
// converted; kInvalidTime for other times.
absl::Status SetValue(EditedStage& stage, Path path, TimeCode time, const Value& value,
                      const AttributeCreation& creation);

// Removes what the layer has: the default value, the sample at a time, or without a time everything
// (UsdAttribute::Clear). No error if it has nothing. kInvalidTime for other times.
absl::Status ClearValue(EditedStage& stage, Path path, std::optional<TimeCode> time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_VALUE_EDITS_H_
