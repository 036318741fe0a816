#include "server/sessions/session_layer_edits.h"

#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/edit/edit_error.h"
#include "scene/edit/field_edits.h"
#include "scene/edit/prim_edits.h"
#include "scene/edit/value_edits.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_parser.h"
#include "server/error_info.h"
#include "server/sessions/edit_errors.h"

namespace stagedoor::server {
namespace {

absl::StatusOr<Path> ParsePath(const std::string& text) {
  absl::StatusOr<Path> path = Path::Parse(text);
  if (path.ok()) return path;
  return EditError(EditErrorKind::kInvalidPath, "the path ", Quoted(text), ": ",
                   Message(path.status()));
}

absl::Status Apply(EditedStage& stage, const v1::Edit::SetValue& edit) {
  SD_ASSIGN_OR_RETURN(const Path path, ParsePath(edit.path()));
  TimeCode time = TimeCode::Default();
  if (edit.has_time()) {
    SD_ASSIGN_OR_RETURN(time, ParseTimeCode(edit.time()));
  }
  SD_ASSIGN_OR_RETURN(const Value value, ParseValue(stage.context(), edit.value()));
  if (value.empty()) {
    return EditError(EditErrorKind::kWrongKind, "there is no value to set at ", Quoted(edit.path()),
                     "; use clear_value to remove one");
  }
  const AttributeCreation creation{.type_name = Token(edit.type_name()),
                                   .custom = edit.custom(),
                                   .variability = edit.variability() == v1::VARIABILITY_UNIFORM
                                                      ? Variability::kUniform
                                                      : Variability::kVarying};
  return SetValue(stage, path, time, value, creation);
}

absl::Status Apply(EditedStage& stage, const v1::Edit::ClearValue& edit) {
  SD_ASSIGN_OR_RETURN(const Path path, ParsePath(edit.path()));
  std::optional<TimeCode> time;
  if (edit.has_time()) {
    SD_ASSIGN_OR_RETURN(time, ParseTimeCode(edit.time()));
  }
  return ClearValue(stage, path, time);
}

absl::Status Apply(EditedStage& stage, const v1::Edit::SetField& edit) {
  SD_ASSIGN_OR_RETURN(const Path path, ParsePath(edit.path()));
  // A field that exists has a name that is known.
  const std::optional<Token> name = Token::Find(edit.name());
  if (!name.has_value() || name->empty()) {
    return EditError(EditErrorKind::kWrongKind, "no field is named ", Quoted(edit.name()));
  }
  SD_ASSIGN_OR_RETURN(const Value value, ParseValue(stage.context(), edit.value()));
  return SetField(stage, path, *name, edit.key_path(), value);
}

absl::Status Apply(EditedStage& stage, const v1::Edit::SelectVariant& edit) {
  SD_ASSIGN_OR_RETURN(const Path path, ParsePath(edit.path()));
  std::optional<std::string> variant;
  if (!edit.clear()) variant = edit.variant();
  return SelectVariant(stage, path, edit.variant_set(), variant);
}

absl::Status Apply(EditedStage& stage, const v1::Edit::SetTargets& edit) {
  SD_ASSIGN_OR_RETURN(const Path path, ParsePath(edit.path()));
  std::optional<ListOp<Path>> targets;
  if (edit.has_targets()) {
    SD_ASSIGN_OR_RETURN(targets, ParsePathListOp(stage.context(), edit.targets()));
  }
  return SetTargets(stage, path, targets, edit.custom());
}

absl::Status Apply(EditedStage& stage, const v1::Edit::DefinePrim& edit) {
  SD_ASSIGN_OR_RETURN(const Path path, ParsePath(edit.path()));
  const Specifier specifier = edit.specifier() == v1::SPECIFIER_OVER    ? Specifier::kOver
                              : edit.specifier() == v1::SPECIFIER_CLASS ? Specifier::kClass
                                                                        : Specifier::kDef;
  return DefinePrim(stage, path, specifier, Token(edit.type_name()));
}

absl::Status Apply(EditedStage& stage, const v1::Edit::RemoveSpec& edit) {
  SD_ASSIGN_OR_RETURN(const Path path, ParsePath(edit.path()));
  return RemoveSpec(stage, path);
}

absl::Status ApplyAny(EditedStage& stage, const v1::Edit& edit) {
  switch (edit.kind_case()) {
    case v1::Edit::kSetValue:
      return Apply(stage, edit.set_value());
    case v1::Edit::kClearValue:
      return Apply(stage, edit.clear_value());
    case v1::Edit::kSetField:
      return Apply(stage, edit.set_field());
    case v1::Edit::kSelectVariant:
      return Apply(stage, edit.select_variant());
    case v1::Edit::kSetTargets:
      return Apply(stage, edit.set_targets());
    case v1::Edit::kDefinePrim:
      return Apply(stage, edit.define_prim());
    case v1::Edit::kRemoveSpec:
      return Apply(stage, edit.remove_spec());
    default:
      return InvalidFieldError("kind", "", "the daemon does not know this edit, or it is empty");
  }
}

}  // namespace

bool IsLayerEdit(const v1::Edit& edit) {
  switch (edit.kind_case()) {
    case v1::Edit::kLoadPrim:
    case v1::Edit::kUnloadPrim:
    case v1::Edit::kMuteLayer:
    case v1::Edit::kSessionLayer:
      return false;
    default:
      return true;
  }
}

std::string_view PathOf(const v1::Edit& edit) {
  switch (edit.kind_case()) {
    case v1::Edit::kSetValue:
      return edit.set_value().path();
    case v1::Edit::kClearValue:
      return edit.clear_value().path();
    case v1::Edit::kSetField:
      return edit.set_field().path();
    case v1::Edit::kSelectVariant:
      return edit.select_variant().path();
    case v1::Edit::kSetTargets:
      return edit.set_targets().path();
    case v1::Edit::kDefinePrim:
      return edit.define_prim().path();
    case v1::Edit::kRemoveSpec:
      return edit.remove_spec().path();
    default:
      return {};
  }
}

absl::StatusOr<EditTarget> ParseEditTarget(const v1::EditTarget& target) {
  const std::string& text = target.variant_path();
  if (text.empty()) return EditTarget();
  const auto parse = [&]() -> absl::StatusOr<EditTarget> {
    SD_ASSIGN_OR_RETURN(const Path path, ParsePath(text));
    return EditTarget::ForLocalDirectVariant(path);
  };
  absl::StatusOr<EditTarget> parsed = parse();
  if (!parsed.ok()) return WithEditReason(parsed.status(), text);
  return parsed;
}

absl::Status ApplyLayerEdit(EditedStage& stage, const v1::Edit& edit) {
  return WithEditReason(ApplyAny(stage, edit), PathOf(edit));
}

}  // namespace stagedoor::server
