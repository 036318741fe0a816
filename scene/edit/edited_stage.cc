#include "scene/edit/edited_stage.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/status_macros.h"
#include "scene/composition/layer_rates.h"
#include "scene/edit/edit_error.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/heap_bytes.h"
#include "scene/paths/identifier.h"
#include "scene/schema/schema_registry.h"
#include "scene/value_resolution/property_walk.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

// The memory of a spec in a LayerBuilder and in the tables of a Layer, in bytes.
constexpr size_t kSpecBytes = 256;
constexpr std::string_view kPrototypePrefix = "__Prototype_";

template <typename T>
T FieldOr(const LayerBuilder& layer, SpecId spec, Token field, const T& otherwise) {
  const Value* value = layer.Get(spec, field);
  const T* held = value == nullptr ? nullptr : value->Get<T>();
  return held == nullptr ? otherwise : *held;
}

EditedProperty FromSpec(const LayerBuilder& layer, SpecId spec) {
  return {.is_attribute = layer.type(spec) == SpecType::kAttribute,
          .type_name = FieldOr(layer, spec, Fields().typeName, Token()),
          .variability = FieldOr(layer, spec, Fields().variability, Variability::kVarying),
          .custom = FieldOr(layer, spec, Fields().custom, false)};
}

EditedProperty FromOpinion(const PropertyOpinion& opinion) {
  const Layer& layer = *opinion.layer;
  const auto variability = layer.GetAs<Variability>(opinion.spec, Fields().variability);
  return {.is_attribute = layer.tree().type(opinion.spec) == SpecType::kAttribute,
          .type_name = layer.GetAs<Token>(opinion.spec, Fields().typeName).value_or(Token()),
          .variability = variability.value_or(Variability::kVarying),
          .custom = layer.GetAs<bool>(opinion.spec, Fields().custom).value_or(false)};
}

EditedProperty FromDefinition(const PropertyDefinition& definition) {
  return {
      .is_attribute = definition.is_attribute(),
      .type_name = definition.type_name,
      .variability = definition.is_attribute() ? definition.variability : Variability::kUniform};
}

bool Names(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `op` with a name in front, as SdfListEditorProxy::Prepend adds it, unless it has the name.
ListOp<std::string> WithName(ListOp<std::string> op, std::string_view name) {
  for (const auto* names : {&op.explicit_items, &op.prepended, &op.appended, &op.added}) {
    if (Names(*names, name)) return op;
  }
  std::vector<std::string>& names = op.is_explicit ? op.explicit_items : op.prepended;
  names.insert(names.begin(), std::string(name));
  return op;
}

}  // namespace

EditedStage::EditedStage(RequestContext& context, LayerBuilder layer, Layer::Info info,
                         std::shared_ptr<const Stage> stage, Compose compose)
    : context_(context),
      layer_(std::move(layer)),
      info_(std::move(info)),
      stage_(std::move(stage)),
      compose_(std::move(compose)),
      first_size_(layer_.size()) {}

LayerOffset EditedStage::TimeOffset() const {
  const FieldKeys& keys = Fields();
  const Layer& root = stage_->root_layer_stack().root_layer();
  const Value* const tcps = layer_.Get(kRootSpec, keys.timeCodesPerSecond);
  const Value* const fps = layer_.Get(kRootSpec, keys.framesPerSecond);
  // The rate of a session layer with one of its own is that of the stage (LayerStackBuilder).
  if (tcps != nullptr) return {};
  if (fps != nullptr && !root.Has(kRootSpec, keys.timeCodesPerSecond)) return {};
  const double rate = FieldOr(layer_, kRootSpec, keys.framesPerSecond, 24.0);
  return Rescaled({}, root.TimeCodesPerSecond(), rate);
}

absl::Status EditedStage::CheckPrimPath(Path path) const {
  if (!path.IsAbsolute() || !path.IsPrimOrRoot() || path.ContainsVariantSelection()) {
    return EditError(EditErrorKind::kInvalidPath, Quoted(path.ToString()),
                     " is not an absolute prim path");
  }
  if (target_.MapToSpecPath(path).depth() > kMaxDepth) {
    return EditError(EditErrorKind::kInvalidPath, Quoted(path.ToString()), " has more than ",
                     kMaxDepth, " elements");
  }
  if (path.IsAbsoluteRoot()) return absl::OkStatus();
  SD_RETURN_IF_ERROR(CheckVariantSets(path));
  const std::string_view top = path.Prefixes().front().name().text();
  if (top.substr(0, kPrototypePrefix.size()) != kPrototypePrefix) return absl::OkStatus();
  return EditError(EditErrorKind::kInvalidPath, Quoted(path.ToString()),
                   " is in a prototype, which cannot be edited");
}

absl::Status EditedStage::CheckVariantSets(Path path) const {
  const Path spec_path = target_.MapToSpecPath(path);
  if (!spec_path.ContainsVariantSelection()) return absl::OkStatus();
  SpecId at = kRootSpec;
  for (const Path prefix : spec_path.Prefixes()) {
    const bool variant = prefix.IsVariantSelection();
    if (at != kNoSpec) {
      at = layer_.Find(at, variant ? SpecType::kVariantSet : SpecType::kPrim, prefix.name());
    }
    if (!variant) continue;
    if (at == kNoSpec && !IsIdentifier(prefix.name().text())) {
      return EditError(EditErrorKind::kInvalidPath, Quoted(prefix.ToString()),
                       " is in a variant set that the session layer does not have, and ",
                       Quoted(prefix.name().text()),
                       " is not a name for a new one: it must be an identifier");
    }
    if (at != kNoSpec) at = layer_.Find(at, SpecType::kVariant, prefix.variant());
  }
  return absl::OkStatus();
}

absl::Status EditedStage::CheckPropertyPath(Path path) const {
  const bool valid = path.IsAbsolute() && path.kind() == Path::Kind::kProperty &&
                     !path.ContainsTarget() && path.Parent().IsPrim();
  if (valid) return CheckPrimPath(path.Parent());
  return EditError(EditErrorKind::kInvalidPath, Quoted(path.ToString()),
                   " is not the absolute path of a property");
}

absl::Status EditedStage::CheckOutsideOfInstances(Path path) const {
  for (Path at = path; !at.IsAbsoluteRoot(); at = at.Parent()) {
    const Prim prim = stage_->FindPrim(at);
    if (!prim.valid()) continue;
    const bool below = prim.IsInstanceProxy() || (prim.IsInstance() && at != path);
    if (!below) return absl::OkStatus();
    const Path instance = prim.IsInstanceProxy() ? prim.instance_path() : at;
    return EditError(EditErrorKind::kWrongKind, Quoted(path.ToString()), " is in the instance ",
                     Quoted(instance.ToString()),
                     ", which cannot be edited inside; edit the prim that it refers to, or set "
                     "its field 'instanceable' to false");
  }
  return absl::OkStatus();
}

Prim EditedStage::NearestComposed(Path path) const {
  for (Path at = path; !at.IsAbsoluteRoot(); at = at.Parent()) {
    if (const Prim prim = stage_->FindPrim(at); prim.valid()) return prim;
  }
  return stage_->PseudoRoot();
}

bool EditedStage::IsComposedOfMore(Path path) const {
  for (Prim at = NearestComposed(path); at.valid(); at = at.parent()) {
    const PrimIndex& index = *at.index().index;
    if (index.nodes().size() > 1 || !index.errors().empty()) return true;
  }
  return false;
}

absl::Status EditedStage::ComposeAgain() {
  SD_ASSIGN_OR_RETURN(stage_, compose_(BuildLayer()));
  added_ = changed_ = false;
  return absl::OkStatus();
}

EditedPrim EditedStage::Describe(const Prim& prim) const {
  return {.composed = prim,
          .definition = prim.definition(),
          .specifier = prim.specifier(),
          .type_name = prim.type_name(),
          .defined = prim.IsPseudoRoot() || prim.IsDefined(),
          .abstract = prim.IsAbstract()};
}

std::optional<EditedPrim> EditedStage::Look(Path path) const {
  const Prim prim = stage_->FindPrim(path);
  if (prim.valid()) return Describe(prim);
  const SpecId spec = FindSpec(path);
  if (spec == kNoSpec) return std::nullopt;
  // Nothing is populated below an inactive prim.
  const Prim above = NearestComposed(path);
  if (!above.IsPseudoRoot() && !above.IsActive()) return std::nullopt;
  // Only the layer has it, so its opinions are all there are.
  EditedPrim made;
  made.specifier = FieldOr(layer_, spec, Fields().specifier, Specifier::kOver);
  made.type_name = FieldOr(layer_, spec, Fields().typeName, Token());
  const std::optional<EditedPrim> parent = Look(path.Parent());
  made.defined = made.specifier != Specifier::kOver && parent.has_value() && parent->defined;
  made.abstract = made.specifier == Specifier::kClass || (parent.has_value() && parent->abstract);
  if (const SchemaRegistry* schemas = stage_->environment().schemas) {
    made.definition = schemas->FindConcrete(made.type_name);
  }
  return made;
}

absl::StatusOr<std::optional<EditedPrim>> EditedStage::FindPrimIfAny(Path path) {
  SD_RETURN_IF_ERROR(CheckPrimPath(path));
  SD_RETURN_IF_ERROR(context_.Spend(path.depth() + 1));
  if (changed_) SD_RETURN_IF_ERROR(ComposeAgain());
  if (added_ && IsComposedOfMore(path)) SD_RETURN_IF_ERROR(ComposeAgain());
  std::optional<EditedPrim> found = Look(path);
  SD_RETURN_IF_ERROR(CheckOutsideOfInstances(path));
  return found;
}

absl::StatusOr<EditedPrim> EditedStage::FindPrim(Path path) {
  SD_ASSIGN_OR_RETURN(std::optional<EditedPrim> found, FindPrimIfAny(path));
  if (found.has_value()) return *std::move(found);
  return EditError(EditErrorKind::kPrimNotFound, "no prim at ", Quoted(path.ToString()));
}

std::optional<EditedProperty> EditedStage::LookForProperty(const EditedPrim& prim,
                                                           Path path) const {
  if (prim.definition != nullptr) {
    if (const PropertyDefinition* builtin = prim.definition->FindProperty(path.name())) {
      return FromDefinition(*builtin);
    }
  }
  if (const SpecId spec = FindSpec(path); spec != kNoSpec) return FromSpec(layer_, spec);
  std::optional<EditedProperty> found;
  if (!prim.composed.valid()) return found;
  WalkProperty(*prim.composed.index().index, path.name(), [&](const PropertyOpinion& opinion) {
    found = FromOpinion(opinion);
    return false;
  });
  return found;
}

absl::StatusOr<std::optional<EditedProperty>> EditedStage::FindProperty(Path path) {
  SD_RETURN_IF_ERROR(CheckPropertyPath(path));
  SD_ASSIGN_OR_RETURN(const EditedPrim prim, FindPrim(path.Parent()));
  return LookForProperty(prim, path);
}

SpecId EditedStage::FindSpec(Path path) const {
  SpecId at = kRootSpec;
  for (const Path prefix : target_.MapToSpecPath(path).Prefixes()) {
    if (prefix.IsVariantSelection()) {
      at = layer_.Find(at, SpecType::kVariantSet, prefix.name());
      if (at != kNoSpec) at = layer_.Find(at, SpecType::kVariant, prefix.variant());
    } else {
      const bool prim = prefix.IsPrim();
      at = layer_.Find(at, prim ? SpecType::kPrim : SpecType::kAttribute, prefix.name());
    }
    if (at == kNoSpec) return kNoSpec;
  }
  return at;
}

SpecId EditedStage::AddVariant(SpecId parent, Path selection) {
  const SpecId set = layer_.FindOrAdd(parent, SpecType::kVariantSet, selection.name());
  const Token field = Fields().variantSetNames;
  layer_.Set(parent, field,
             Value(WithName(FieldOr(layer_, parent, field, ListOp<std::string>()),
                            selection.name().text())));
  return layer_.FindOrAdd(set, SpecType::kVariant, selection.variant());
}

SpecId EditedStage::EnsurePrimSpec(Path path) {
  SpecId at = kRootSpec;
  for (const Path prefix : target_.MapToSpecPath(path).Prefixes()) {
    if (prefix.IsVariantSelection()) {
      at = AddVariant(at, prefix);
      continue;
    }
    const size_t before = layer_.size();
    at = layer_.FindOrAdd(at, SpecType::kPrim, prefix.name());
    if (layer_.size() == before) continue;
    layer_.Set(at, Fields().specifier, Value(Specifier::kOver));
    // An over of a prim that exists changes nothing by itself.
    if (!stage_->FindPrim(prefix.StripVariantSelections()).valid()) Added();
  }
  return at;
}

absl::StatusOr<SpecId> EditedStage::EnsurePropertySpec(Path path, const EditedProperty& property) {
  const SpecType type = property.is_attribute ? SpecType::kAttribute : SpecType::kRelationship;
  if (const SpecId known = FindSpec(path); known != kNoSpec) {
    if (layer_.type(known) == type) return known;
    return EditError(EditErrorKind::kWrongKind, Quoted(path.ToString()),
                     " has an opinion in the session layer that it is ",
                     property.is_attribute ? "a relationship" : "an attribute");
  }
  const SpecId spec = layer_.FindOrAdd(EnsurePrimSpec(path.Parent()), type, path.name());
  const FieldKeys& keys = Fields();
  if (property.custom) layer_.Set(spec, keys.custom, Value(true));
  if (property.is_attribute) layer_.Set(spec, keys.typeName, Value(property.type_name));
  if (property.variability == Variability::kUniform) {
    layer_.Set(spec, keys.variability, Value(Variability::kUniform));
  }
  if (!property.exists) Added();
  return spec;
}

std::map<double, Value>& EditedStage::Samples(SpecId attribute) {
  const auto [it, first] = samples_.try_emplace(attribute);
  if (!first) return it->second;
  const Value* const field = layer_.Get(attribute, Fields().timeSamples);
  const TimeSamples* const known = field == nullptr ? nullptr : field->samples();
  if (known != nullptr) context_.AddSteps(known->size());
  for (size_t i = 0; known != nullptr && i < known->size(); ++i) {
    it->second.emplace(known->times()[i], known->At(i));
  }
  return it->second;
}

size_t EditedStage::added_bytes() const {
  return (layer_.size() - first_size_) * kSpecBytes + value_bytes_;
}

void EditedStage::CountValue(const Value& value) {
  value_bytes_ += sizeof(std::pair<Token, Value>) + HeapBytes(value);
}

std::shared_ptr<const Layer> EditedStage::BuildLayer() {
  for (auto& [spec, samples] : samples_) {
    std::vector<std::pair<double, Value>> list(samples.begin(), samples.end());
    layer_.Set(spec, Fields().timeSamples,
               list.empty() ? Value() : Value::FromSamples(MakeTimeSamples(std::move(list))));
  }
  samples_.clear();
  context_.AddSteps(layer_.size());
  return LayerBuilder(layer_).Build(info_);
}

}  // namespace stagedoor
