#include "scene/edit/prim_edits.h"

#include <optional>

#include "base/status_macros.h"
#include "scene/edit/edit_error.h"
#include "scene/layer/field_keys.h"

namespace stagedoor {
namespace {

// Whether the prim already is what is to be authored, so that nothing needs to be.
bool IsDone(const EditedPrim& prim, Specifier specifier, Token type_name) {
  if (!type_name.empty() && prim.type_name != type_name) return false;
  switch (specifier) {
    case Specifier::kOver:
      return true;
    case Specifier::kDef:
      return prim.defined;
    case Specifier::kClass:
      return prim.abstract;
  }
  return false;
}

void Author(EditedStage& stage, Path path, bool exists, Specifier specifier, Token type_name) {
  const SpecId spec = stage.EnsurePrimSpec(path);
  LayerBuilder& layer = stage.layer();
  if (specifier != Specifier::kOver) layer.Set(spec, Fields().specifier, Value(specifier));
  if (!type_name.empty()) layer.Set(spec, Fields().typeName, Value(type_name));
  // A new prim affects only prims that refer to it; an existing one is composed again.
  if (exists) {
    stage.Recomposes();
  } else {
    stage.Added();
  }
}

// Makes defs of the ancestors that are not defined, the topmost first. Returns whether there were
// any.
absl::StatusOr<bool> DefineAncestors(EditedStage& stage, Path path) {
  bool any = false;
  for (const Path prefix : path.Parent().Prefixes()) {
    SD_ASSIGN_OR_RETURN(const std::optional<EditedPrim> known, stage.FindPrimIfAny(prefix));
    if (known.has_value() && known->defined) continue;
    Author(stage, prefix, known.has_value() && known->composed.valid(), Specifier::kDef, Token());
    any = true;
  }
  return any;
}

// Removes a variant set without variants, which text cannot express.
void RemoveEmptySet(LayerBuilder& layer, SpecId set) {
  if (layer.type(set) == SpecType::kVariantSet && layer.variants(set).empty()) layer.Remove(set);
}

}  // namespace

absl::Status DefinePrim(EditedStage& stage, Path path, Specifier specifier, Token type_name) {
  SD_ASSIGN_OR_RETURN(std::optional<EditedPrim> known, stage.FindPrimIfAny(path));
  if (path.IsAbsoluteRoot()) return absl::OkStatus();
  if (specifier == Specifier::kClass && known.has_value() && known->defined &&
      known->specifier != Specifier::kClass) {
    return EditError(EditErrorKind::kWrongKind, Quoted(path.ToString()),
                     " is a prim that is not a class");
  }
  if (known.has_value() && IsDone(*known, specifier, type_name)) return absl::OkStatus();
  if (specifier != Specifier::kOver) {
    SD_ASSIGN_OR_RETURN(const bool defined, DefineAncestors(stage, path));
    // It may be defined by that.
    if (defined && known.has_value()) {
      SD_ASSIGN_OR_RETURN(known, stage.FindPrimIfAny(path));
      if (known.has_value() && IsDone(*known, specifier, type_name)) return absl::OkStatus();
    }
  }
  Author(stage, path, known.has_value() && known->composed.valid(), specifier, type_name);
  return absl::OkStatus();
}

absl::Status RemoveSpec(EditedStage& stage, Path path) {
  SD_RETURN_IF_ERROR(path.IsProperty() ? stage.CheckPropertyPath(path) : stage.CheckPrimPath(path));
  if (path.IsAbsoluteRoot()) {
    return EditError(EditErrorKind::kInvalidPath, "\"/\" cannot be removed");
  }
  const SpecId spec = stage.FindSpec(path);
  if (spec == kNoSpec) return absl::OkStatus();
  LayerBuilder& layer = stage.layer();
  const SpecId parent = layer.parent(spec);
  layer.Remove(spec);
  RemoveEmptySet(layer, parent);
  stage.Recomposes();
  return absl::OkStatus();
}

}  // namespace stagedoor
