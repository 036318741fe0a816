#include "scene/edit/field_edits.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "scene/edit/edit_error.h"
#include "scene/edit/value_cast.h"
#include "scene/layer/field_definition.h"
#include "scene/layer/field_keys.h"
#include "scene/paths/variant_names.h"
#include "scene/schema/schema_registry.h"
#include "scene/values/dictionary.h"
#include "scene/values/item_index.h"
#include "scene/values/retiming.h"

namespace stagedoor {
namespace {

bool IsOneOf(Token name, std::initializer_list<Token> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Fields that have edits of their own, or describe the namespace.
bool IsReserved(Token name) {
  const FieldKeys& f = Fields();
  static const Token kConnectionChildren("connectionChildren"), kTargetChildren("targetChildren");
  return IsOneOf(name,
                 {f.default_, f.timeSamples, f.spline, f.targetPaths, f.connectionPaths,
                  f.variantSelection, f.specifier, f.typeName, f.primChildren, f.properties,
                  f.variantChildren, f.variantSetChildren, kConnectionChildren, kTargetChildren});
}

// Whether what a stage is composed of, or which properties its prims have, may depend on the field.
bool Recomposes(SpecType type, Token name) {
  const FieldKeys& f = Fields();
  if (type == SpecType::kAttribute || type == SpecType::kRelationship) return false;
  return IsOneOf(name, {f.active,
                        f.apiSchemas,
                        f.clips,
                        f.clipSets,
                        f.defaultPrim,
                        f.expressionVariables,
                        f.fallbackPrimTypes,
                        f.hasOwnedSubLayers,
                        f.inheritPaths,
                        f.instanceable,
                        f.layerRelocates,
                        f.owner,
                        f.payload,
                        f.references,
                        f.relocates,
                        f.sessionOwner,
                        f.specializes,
                        f.subLayerOffsets,
                        f.subLayers,
                        f.variantSetNames});
}

absl::StatusOr<const FieldDefinition*> FindEditable(const EditedStage& stage, SpecType type,
                                                    Token name) {
  if (IsReserved(name)) {
    return EditError(EditErrorKind::kInvalidField, "the field '", name.text(),
                     "' cannot be set as a field; there is another edit for it");
  }
  const FieldDefinition* definition = FindFieldDefinition(type, name);
  const SchemaRegistry* const schemas = stage.schemas();
  if (definition == nullptr && schemas != nullptr) {
    definition = schemas->plugin_fields().Find(type, name);
  }
  if (definition != nullptr) return definition;
  const std::string_view kind = type == SpecType::kPseudoRoot     ? "layers"
                                : type == SpecType::kAttribute    ? "attributes"
                                : type == SpecType::kRelationship ? "relationships"
                                                                  : "prims";
  return EditError(EditErrorKind::kWrongKind, kind, " have no field ", Quoted(name.text()));
}

absl::StatusOr<std::vector<std::string>> SplitKeys(std::string_view key_path) {
  std::vector<std::string> keys;
  for (;;) {
    const size_t colon = key_path.find(':');
    keys.emplace_back(key_path.substr(0, colon));
    if (keys.back().empty() || keys.size() > kMaxKeys) {
      return EditError(EditErrorKind::kInvalidField, "a key path must be 1 to ", kMaxKeys,
                       " keys that are joined by ':', none of them empty");
    }
    if (colon == std::string_view::npos) return keys;
    key_path.remove_prefix(colon + 1);
  }
}

// `dictionary` with the entry at keys[at], keys[at + 1] … set or, for an empty value, removed.
Dictionary WithEntry(Dictionary dictionary, const std::vector<std::string>& keys, size_t at,
                     const Value& value) {
  if (at + 1 == keys.size()) {
    value.empty() ? dictionary.Remove(keys[at]) : dictionary.Set(keys[at], value);
    return dictionary;
  }
  const Value* const held = dictionary.Find(keys[at]);
  const Dictionary* const inner = held == nullptr ? nullptr : held->Get<Dictionary>();
  if (inner == nullptr && value.empty()) return dictionary;
  Dictionary changed = WithEntry(inner == nullptr ? Dictionary() : *inner, keys, at + 1, value);
  if (changed.empty()) {
    dictionary.Remove(keys[at]);
  } else {
    dictionary.Set(keys[at], Value(std::move(changed)));
  }
  return dictionary;
}

// The value of the field after the edit; empty to remove it.
absl::StatusOr<Value> Changed(EditedStage& stage, SpecId spec, const FieldDefinition& field,
                              std::string_view key_path, const Value& value) {
  if (key_path.empty()) {
    if (value.empty()) return Value();
    Value cast = CastValue(value, field.type, field.is_array);
    if (!cast.empty()) return cast;
    return EditError(EditErrorKind::kWrongKind, "a value of the type '",
                     ValueTypeKeyword(value.type()), value.is_array() ? "[]" : "",
                     "' cannot be converted to that of the field '", field.name.text(), "', '",
                     ValueTypeKeyword(field.type), field.is_array ? "[]" : "", "'");
  }
  if (field.type != ValueType::kDictionary) {
    return EditError(EditErrorKind::kWrongKind, "the field '", field.name.text(),
                     "' is not a dictionary, so it has no key ", Quoted(key_path));
  }
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> keys, SplitKeys(key_path));
  const Value* const held = spec == kNoSpec ? nullptr : stage.layer().Get(spec, field.name);
  const Dictionary* const known = held == nullptr ? nullptr : held->Get<Dictionary>();
  if (known != nullptr) SD_RETURN_IF_ERROR(stage.context().Spend(known->size()));
  Dictionary changed = WithEntry(known == nullptr ? Dictionary() : *known, keys, 0, value);
  return changed.empty() ? Value() : Value(std::move(changed));
}

// The object on which a field is set, and how to find or add its spec.
struct Subject {
  SpecType type = SpecType::kPrim;
  std::optional<EditedProperty> property;
};

absl::StatusOr<Subject> FindSubject(EditedStage& stage, Path path, bool must_exist) {
  Subject subject;
  if (path.IsAbsoluteRoot()) {
    subject.type = SpecType::kPseudoRoot;
    return subject;
  }
  if (!path.IsProperty()) {
    SD_RETURN_IF_ERROR(stage.CheckPrimPath(path));
    if (must_exist) SD_RETURN_IF_ERROR(stage.FindPrim(path).status());
    return subject;
  }
  if (!must_exist) {
    SD_RETURN_IF_ERROR(stage.CheckPropertyPath(path));
    const SpecId spec = stage.FindSpec(path);
    subject.type = spec == kNoSpec ? SpecType::kAttribute : stage.layer().type(spec);
    return subject;
  }
  SD_ASSIGN_OR_RETURN(subject.property, stage.FindProperty(path));
  if (!subject.property.has_value()) {
    return EditError(EditErrorKind::kAttributeNotFound, "no property at ", Quoted(path.ToString()));
  }
  subject.type = subject.property->is_attribute ? SpecType::kAttribute : SpecType::kRelationship;
  return subject;
}

absl::StatusOr<SpecId> EnsureSpec(EditedStage& stage, Path path, const Subject& subject) {
  if (subject.property.has_value()) return stage.EnsurePropertySpec(path, *subject.property);
  return stage.EnsurePrimSpec(path);
}

absl::StatusOr<Path> CheckTarget(Path path, Path target) {
  Path anchored =
      target.empty() ? Path() : target.MakeAbsolute(path.Parent()).StripVariantSelections();
  const bool valid = !anchored.empty() && !anchored.ContainsTarget() &&
                     (anchored.IsPrim() || anchored.kind() == Path::Kind::kProperty);
  if (!valid) {
    return EditError(EditErrorKind::kInvalidPath, Quoted(target.ToString()),
                     " cannot be a target: it is not the path of a prim or property");
  }
  const std::string_view top = anchored.Prefixes().front().name().text();
  if (top.substr(0, 12) != "__Prototype_") return anchored;
  return EditError(EditErrorKind::kInvalidPath, Quoted(target.ToString()),
                   " cannot be a target: it is in a prototype");
}

// `op` with anchored targets, each once per list.
absl::StatusOr<ListOp<Path>> AnchorTargets(EditedStage& stage, Path path, ListOp<Path> op) {
  SD_RETURN_IF_ERROR(stage.context().Spend(op.size()));
  for (auto* targets :
       {&op.explicit_items, &op.prepended, &op.appended, &op.deleted, &op.added, &op.ordered}) {
    ItemIndex<Path> known;
    std::vector<Path> anchored;
    // The index points to its items, so they must not move.
    anchored.reserve(targets->size());
    for (const Path target : *targets) {
      SD_ASSIGN_OR_RETURN(const Path checked, CheckTarget(path, target));
      anchored.push_back(checked);
      if (!known.Insert(anchored.back())) anchored.pop_back();
    }
    *targets = std::move(anchored);
  }
  return op;
}

}  // namespace

absl::Status SetField(EditedStage& stage, Path path, Token name, std::string_view key_path,
                      const Value& value) {
  SD_ASSIGN_OR_RETURN(const Subject subject, FindSubject(stage, path, !value.empty()));
  SD_ASSIGN_OR_RETURN(const FieldDefinition* const field, FindEditable(stage, subject.type, name));
  SpecId spec = stage.FindSpec(path);
  // Times in metadata are those of the stage too.
  const Value mapped = HoldsTimes(value) ? Retime(value, stage.TimeOffset().Inverse()) : value;
  SD_ASSIGN_OR_RETURN(Value changed, Changed(stage, spec, *field, key_path, mapped));
  if (spec == kNoSpec) {
    if (value.empty()) return absl::OkStatus();
    SD_ASSIGN_OR_RETURN(spec, EnsureSpec(stage, path, subject));
  }
  stage.CountValue(value);
  stage.layer().Set(spec, name, std::move(changed));
  if (Recomposes(subject.type, name)) stage.Recomposes();
  return absl::OkStatus();
}

absl::Status SelectVariant(EditedStage& stage, Path path, const std::string& variant_set,
                           const std::optional<std::string>& variant) {
  if (variant_set.empty()) {
    return EditError(EditErrorKind::kInvalidField, "the name of a variant set must not be empty");
  }
  if (variant.has_value() && !IsVariantSelection(*variant)) {
    return EditError(EditErrorKind::kInvalidField, Quoted(*variant), " is not a variant name");
  }
  if (path.IsAbsoluteRoot()) {
    return EditError(EditErrorKind::kInvalidPath, "\"/\" has no variant sets");
  }
  SD_RETURN_IF_ERROR(stage.CheckPrimPath(path));
  if (variant.has_value()) SD_RETURN_IF_ERROR(stage.FindPrim(path).status());
  SpecId spec = stage.FindSpec(path);
  if (spec == kNoSpec) {
    if (!variant.has_value()) return absl::OkStatus();
    spec = stage.EnsurePrimSpec(path);
  }
  const Value* const held = stage.layer().Get(spec, Fields().variantSelection);
  const auto* const known = held == nullptr ? nullptr : held->Get<VariantSelections>();
  VariantSelections selections = known == nullptr ? VariantSelections() : *known;
  SD_RETURN_IF_ERROR(stage.context().Spend(selections.size()));
  const auto at = std::lower_bound(
      selections.begin(), selections.end(), variant_set,
      [](const auto& selection, const std::string& name) { return selection.first < name; });
  const bool found = at != selections.end() && at->first == variant_set;
  if (!variant.has_value()) {
    if (found) selections.erase(at);
  } else if (found) {
    at->second = *variant;
  } else {
    selections.insert(at, {variant_set, *variant});
  }
  stage.CountValue(Value(variant_set));
  stage.layer().Set(spec, Fields().variantSelection,
                    selections.empty() ? Value() : Value(std::move(selections)));
  stage.Recomposes();
  return absl::OkStatus();
}

absl::Status SetTargets(EditedStage& stage, Path path, const std::optional<ListOp<Path>>& targets,
                        bool custom) {
  if (!targets.has_value()) {
    SD_RETURN_IF_ERROR(stage.CheckPropertyPath(path));
    const SpecId spec = stage.FindSpec(path);
    if (spec == kNoSpec) return absl::OkStatus();
    const bool attribute = stage.layer().type(spec) == SpecType::kAttribute;
    stage.layer().Set(spec, attribute ? Fields().connectionPaths : Fields().targetPaths, Value());
    return absl::OkStatus();
  }
  SD_ASSIGN_OR_RETURN(std::optional<EditedProperty> known, stage.FindProperty(path));
  if (!known.has_value()) {
    known = EditedProperty{.is_attribute = false,
                           .variability = Variability::kUniform,
                           .custom = custom,
                           .exists = false};
  }
  SD_ASSIGN_OR_RETURN(ListOp<Path> anchored, AnchorTargets(stage, path, *targets));
  SD_ASSIGN_OR_RETURN(const SpecId spec, stage.EnsurePropertySpec(path, *known));
  Value value(std::move(anchored));
  stage.CountValue(value);
  stage.layer().Set(spec, known->is_attribute ? Fields().connectionPaths : Fields().targetPaths,
                    std::move(value));
  return absl::OkStatus();
}

}  // namespace stagedoor
