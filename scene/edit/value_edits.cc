#include "scene/edit/value_edits.h"

#include <cmath>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "scene/edit/edit_error.h"
#include "scene/edit/value_cast.h"
#include "scene/layer/field_keys.h"
#include "scene/values/retiming.h"
#include "scene/values/spline.h"
#include "scene/values/value_type_name.h"

namespace stagedoor {
namespace {

absl::Status CheckTime(TimeCode time) {
  if (time.is_default()) return absl::OkStatus();
  if (time.is_earliest() || time.is_pre_time() || std::isnan(time.value())) {
    return EditError(EditErrorKind::kInvalidTime,
                     "values are authored at the default time or at a number");
  }
  return absl::OkStatus();
}

// The type that a name stands for; null if no attribute can have it.
const ValueTypeName* FindAttributeType(Token name) {
  const ValueTypeName* const type = FindValueTypeName(name);
  const bool usable = type != nullptr && !type->text_only && type->type != ValueType::kEmpty;
  return usable ? type : nullptr;
}

absl::Status CheckTypeName(Path path, const EditedProperty& known, Token wanted) {
  if (wanted.empty() || wanted == known.type_name) return absl::OkStatus();
  const ValueTypeName* const a = FindAttributeType(known.type_name);
  const ValueTypeName* const b = FindAttributeType(wanted);
  if (a != nullptr && b != nullptr && a->canonical == b->canonical) return absl::OkStatus();
  return EditError(EditErrorKind::kWrongKind, Quoted(path.ToString()), " has the type '",
                   known.type_name.text(), "', not ", Quoted(wanted.text()));
}

// The attribute at `path` as it is or, if it does not exist, as it is to be created.
absl::StatusOr<EditedProperty> FindOrCreate(EditedStage& stage, Path path,
                                            const AttributeCreation& creation) {
  SD_ASSIGN_OR_RETURN(std::optional<EditedProperty> known, stage.FindProperty(path));
  if (!known.has_value()) {
    if (creation.type_name.empty()) {
      return EditError(EditErrorKind::kAttributeNotFound, "no attribute at ",
                       Quoted(path.ToString()), "; to create it, give its type");
    }
    return EditedProperty{.type_name = creation.type_name,
                          .variability = creation.variability,
                          .custom = creation.custom,
                          .exists = false};
  }
  if (!known->is_attribute) {
    return EditError(EditErrorKind::kWrongKind, Quoted(path.ToString()),
                     " is a relationship, not an attribute");
  }
  SD_RETURN_IF_ERROR(CheckTypeName(path, *known, creation.type_name));
  return *std::move(known);
}

// How a value of a type is called in messages.
std::string TypeOf(const Value& value) {
  return Concat(ValueTypeKeyword(value.type()), value.is_array() ? "[]" : "");
}

bool FitsSpline(const Spline& spline, const ValueTypeName& type) {
  if (type.is_array) return false;
  const ValueType held = spline.time_valued && spline.value_type == ValueType::kDouble
                             ? ValueType::kTimeCode
                             : spline.value_type;
  return held == type.type;
}

// `value` in the type of the attribute, with times of the layer.
absl::StatusOr<Value> ConvertValue(const EditedStage& stage, Path path, const Value& value,
                                   Token type_name) {
  const ValueTypeName* const type = FindAttributeType(type_name);
  if (type == nullptr) {
    return EditError(EditErrorKind::kWrongKind, Quoted(path.ToString()), " has the unknown type ",
                     Quoted(type_name.text()), ", of which there are no values");
  }
  Value cast;
  if (value.is_block() || value.type() == ValueType::kAnimationBlock) {
    cast = value;
  } else if (const Spline* const spline = value.Get<Spline>()) {
    if (FitsSpline(*spline, *type)) cast = value;
  } else {
    cast = CastValue(value, type->type, type->is_array);
  }
  if (cast.empty()) {
    return EditError(EditErrorKind::kWrongKind, "a value of the type '", TypeOf(value),
                     "' cannot be converted to '", type_name.text(), "', the type of ",
                     Quoted(path.ToString()));
  }
  return HoldsTimes(cast) ? Retime(cast, stage.TimeOffset().Inverse()) : cast;
}

void SetSample(EditedStage& stage, SpecId spec, double time, Value value) {
  // No negative zero, which would be another key.
  stage.Samples(spec)[stage.TimeOffset().Inverse().Apply(time) + 0.0] = std::move(value);
}

}  // namespace

absl::Status SetValue(EditedStage& stage, Path path, TimeCode time, const Value& value,
                      const AttributeCreation& creation) {
  SD_RETURN_IF_ERROR(CheckTime(time));
  const bool whole =
      value.type() == ValueType::kSpline || value.type() == ValueType::kAnimationBlock;
  if (whole && !time.is_default()) {
    return EditError(EditErrorKind::kInvalidTime,
                     "splines and animation blocks are not authored at a time");
  }
  SD_ASSIGN_OR_RETURN(const EditedProperty attribute, FindOrCreate(stage, path, creation));
  SD_ASSIGN_OR_RETURN(Value converted, ConvertValue(stage, path, value, attribute.type_name));
  SD_ASSIGN_OR_RETURN(const SpecId spec, stage.EnsurePropertySpec(path, attribute));
  stage.CountValue(converted);
  if (converted.type() == ValueType::kSpline) {
    stage.layer().Set(spec, Fields().spline, std::move(converted));
  } else if (time.is_default()) {
    stage.layer().Set(spec, Fields().default_, std::move(converted));
  } else {
    SetSample(stage, spec, time.value(), std::move(converted));
  }
  return absl::OkStatus();
}

absl::Status ClearValue(EditedStage& stage, Path path, std::optional<TimeCode> time) {
  if (time.has_value()) SD_RETURN_IF_ERROR(CheckTime(*time));
  SD_RETURN_IF_ERROR(stage.CheckPropertyPath(path));
  const SpecId spec = stage.FindSpec(path);
  if (spec == kNoSpec || stage.layer().type(spec) != SpecType::kAttribute) return absl::OkStatus();
  const bool all = !time.has_value();
  if (all || time->is_default()) stage.layer().Set(spec, Fields().default_, Value());
  if (all) {
    stage.Samples(spec).clear();
    stage.layer().Set(spec, Fields().spline, Value());
  } else if (!time->is_default()) {
    stage.Samples(spec).erase(stage.TimeOffset().Inverse().Apply(time->value()));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
