#include "server/converters/prim_converter.h"

#include <algorithm>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/composition/arc_type.h"
#include "scene/layer/field_keys.h"
#include "scene/schema/prim_definition.h"
#include "scene/values/layer_offset.h"
#include "server/converters/packed_values.h"
#include "server/converters/prim_wire.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using TokenSet = std::unordered_set<Token>;

// Fields that have fields of their own in v1::Prim or v1::Stage, or that composition consumes.
const TokenSet& FieldsShownElsewhere(bool pseudo_root) {
  const FieldKeys& f = Fields();
  static const TokenSet kPrim = {
      f.specifier,    f.typeName,         f.active,          f.kind,         f.apiSchemas,
      f.instanceable, f.variantSelection, f.variantSetNames, f.references,   f.payload,
      f.inheritPaths, f.specializes,      f.relocates,       f.primChildren, f.properties};
  static const TokenSet kRoot = {f.defaultPrim,        f.startTimeCode,   f.endTimeCode,
                                 f.timeCodesPerSecond, f.framesPerSecond, f.subLayers,
                                 f.subLayerOffsets,    f.layerRelocates,  f.relocates,
                                 f.specifier,          f.typeName,        f.primChildren};
  return pseudo_root ? kRoot : kPrim;
}

const TokenSet& PropertyFieldsShownElsewhere() {
  const FieldKeys& f = Fields();
  static const TokenSet kProperty = {f.typeName,        f.variability, f.custom,
                                     f.default_,        f.timeSamples, f.spline,
                                     f.connectionPaths, f.targetPaths};
  return kProperty;
}

// Documentation and custom data of a schema describe the schema, not the prim.
bool IsSchemaProse(const MetadataField& field) {
  const FieldKeys& f = Fields();
  return !field.authored &&
         (field.name == f.documentation || field.name == f.comment || field.name == f.customData);
}

using Texts = google::protobuf::RepeatedPtrField<std::string>;

void AddPaths(const std::vector<Path>& paths, ReplyBudget& budget, Texts* out) {
  for (const Path path : paths) {
    if (!budget.ok()) return;
    budget.AddText(path.ToString(), out);
  }
}

void AddTokens(std::span<const Token> tokens, ReplyBudget& budget, Texts* out) {
  for (const Token token : tokens) budget.AddText(token.text(), out);
}

void FillMetadata(const std::vector<MetadataField>& fields, const TokenSet& shown_elsewhere,
                  ReplyBudget& budget, google::protobuf::RepeatedPtrField<v1::Field>* out) {
  for (const MetadataField& field : fields) {
    if (!budget.ok()) return;
    if (shown_elsewhere.contains(field.name) || IsSchemaProse(field)) continue;
    v1::Field* added = budget.Add(out);
    added->set_name(budget.Text(field.name.text()));
    budget.Charge(sizeof(v1::Value));
    FillValue(field.value, budget, added->mutable_value());
  }
}

void FillSchemas(const Prim& prim, ReplyBudget& budget, v1::Prim* out) {
  out->set_kind(budget.Text(prim.kind().text()));
  AddTokens(prim.AppliedSchemas(), budget, out->mutable_api_schemas());
  if (prim.definition() == nullptr) return;
  AddTokens(prim.definition()->lineage(), budget, out->mutable_schema_ancestors());
}

void FillVariantSets(const Prim& prim, ReplyBudget& budget, v1::Prim* out) {
  for (const VariantSetInfo& info : prim.VariantSets(budget.context())) {
    if (!budget.ok()) return;
    v1::VariantSet* set = budget.Add(out->mutable_variant_sets());
    set->set_name(budget.Text(info.name));
    set->set_selection(budget.Text(info.selection));
    for (const std::string& choice : info.choices) budget.AddText(choice, set->mutable_choices());
  }
}

void FillOffset(const LayerOffset& offset, ReplyBudget& budget, v1::Site* out) {
  if (offset.IsIdentity() || !budget.Charge(sizeof(v1::LayerOffset))) return;
  FillLayerOffset(offset, out->mutable_layer_offset());
}

void FillSite(const Prim& prim, const PrimSpecHandle& site, ReplyBudget& budget, v1::Site* out) {
  const PrimIndexRef& index = prim.index();
  out->set_layer(budget.Text(site.layer->identifier()));
  out->set_path(budget.Text(site.layer->tree().path(site.spec).ToString()));
  out->set_arc(budget.Text(ArcTypeName(index.ArcOf(site.node))));
  FillOffset(index.OffsetOf(site), budget, out);
}

// Fills a property's values at the times of a view. As long as all values are equal it keeps only
// the first, to fill uniform_value; from the first value that differs on it fills `values`.
class ValuesFiller {
 public:
  ValuesFiller(ReplyBudget& budget, v1::Property* out) : budget_(budget), out_(out) {}

  void Add(Value value) {
    if (same_ == 0 || (out_->values().empty() && value == first_)) {
      if (same_++ == 0) first_ = std::move(value);
      budget_.Charge(0);
      return;
    }
    if (out_->values().empty()) {
      for (size_t i = 0; i < same_; ++i) Fill(first_);
    }
    Fill(value);
  }

  void Finish() {
    if (same_ == 0 || !out_->values().empty() || !budget_.Charge(sizeof(v1::Value))) return;
    FillValue(first_, budget_, out_->mutable_uniform_value());
  }

 private:
  void Fill(const Value& value) {
    if (budget_.ok()) FillValue(value, budget_, budget_.Add(out_->mutable_values()));
  }

  ReplyBudget& budget_;
  v1::Property* const out_;
  Value first_;
  size_t same_ = 0;  // number of values before the first that differs
};

void FillValues(const Attribute& attribute, const AttributeSource& numeric, const PrimView& view,
                ReplyBudget& budget, v1::Property* out) {
  RequestContext& context = budget.context();
  out->set_source(ToProto(numeric.kind()));
  out->set_blocked(numeric.blocked());
  ValuesFiller values(budget, out);
  std::optional<AttributeSource> at_default;
  for (const TimeCode time : view.times) {
    if (!budget.ok()) return;
    if (time.is_default() && !at_default) at_default = attribute.CompileDefault(context);
    values.Add(attribute.Get(context, time.is_default() ? *at_default : numeric, time,
                             view.interpolation));
  }
  values.Finish();
}

void FillTimeSamples(const AttributeSource& numeric, ReplyBudget& budget, v1::Property* out) {
  const Array<double> times = numeric.SampleTimes(budget.context());
  if (!times.empty()) {
    FillPackedArray(ValueType::kDouble, times, budget, out->mutable_time_samples());
  }
  out->set_might_be_time_varying(numeric.MightBeTimeVarying(budget.context()));
}

void FillAttribute(const Attribute& attribute, const PrimView& view, ReplyBudget& budget,
                   v1::Property* out) {
  out->set_kind(v1::Property::KIND_ATTRIBUTE);
  out->set_type_name(budget.Text(attribute.TypeName().text()));
  if (attribute.GetVariability() == Variability::kUniform) {
    out->set_variability(v1::VARIABILITY_UNIFORM);
  }
  if (view.Has(v1::PRIM_DETAIL_TARGETS)) {
    AddPaths(attribute.Connections(budget.context()), budget, out->mutable_connections());
  }
  if (!view.Has(v1::PRIM_DETAIL_VALUES) && !view.Has(v1::PRIM_DETAIL_TIME_SAMPLES)) return;
  const AttributeSource numeric = attribute.Compile(budget.context());
  if (view.Has(v1::PRIM_DETAIL_VALUES)) FillValues(attribute, numeric, view, budget, out);
  if (view.Has(v1::PRIM_DETAIL_TIME_SAMPLES)) FillTimeSamples(numeric, budget, out);
}

void FillRelationship(const Relationship& relationship, const PrimView& view, ReplyBudget& budget,
                      v1::Property* out) {
  out->set_kind(v1::Property::KIND_RELATIONSHIP);
  if (!view.Has(v1::PRIM_DETAIL_TARGETS)) return;
  RequestContext& context = budget.context();
  AddPaths(relationship.Targets(context), budget, out->mutable_targets());
  AddPaths(relationship.ForwardedTargets(context), budget, out->mutable_forwarded_targets());
}

void FillStack(const AttributeSite& site, TimeCode time, ReplyBudget& budget, v1::Property* out) {
  v1::PropertyStack* stack = budget.Add(out->mutable_stacks());
  for (const PropertyStackEntry& entry : PropertyStackAt(budget.context(), site, time)) {
    if (!budget.ok()) return;
    FillPropertyStackEntry(entry, budget, budget.Add(stack->mutable_sites()));
  }
}

// Fills one stack for each time if the property has value clips; otherwise a single one, since only
// clips make a property stack depend on time.
void FillStacks(const Property& property, const PrimView& view, ReplyBudget& budget,
                v1::Property* out) {
  AttributeSite site{.index = &property.prim().index(), .name = property.name()};
  if (property.is_attribute()) site = Attribute(property).Site();
  if (site.clips == nullptr) return FillStack(site, TimeCode::Default(), budget, out);
  for (const TimeCode time : view.times) {
    if (!budget.ok()) return;
    FillStack(site, time, budget, out);
  }
}

void FillChildren(const Prim& prim, const PrimView& view, ReplyBudget& budget, v1::Prim* out) {
  for (const Prim& child : prim.Children(view.predicate)) {
    budget.AddText(child.name().text(), out->mutable_children());
  }
}

}  // namespace

absl::StatusOr<uint32_t> ParseDetails(const google::protobuf::RepeatedField<int>& details,
                                      std::initializer_list<v1::PrimDetail> otherwise) {
  uint32_t mask = 0;
  for (const int detail : details) {
    if (detail == 0 || !v1::PrimDetail_IsValid(detail)) {
      return InvalidFieldError("details", Concat(detail), "unknown prim detail");
    }
    mask |= 1u << detail;
  }
  if (details.empty()) {
    for (const v1::PrimDetail detail : otherwise) mask |= 1u << detail;
  }
  return mask;
}

absl::StatusOr<std::optional<std::vector<Token>>> ParsePropertyNames(
    const google::protobuf::RepeatedPtrField<std::string>& names) {
  constexpr int kMaxNames = 10000;
  if (names.empty()) return std::nullopt;
  if (names.size() > kMaxNames) {
    return WithReason(ResourceExhaustedError("the request has ", names.size(),
                                             " property names; the limit is ", kMaxNames),
                      v1::ERROR_REASON_REQUEST_TOO_LARGE);
  }
  std::vector<Token> tokens;
  for (const std::string& name : names) {
    if (const auto token = Token::Find(name)) tokens.push_back(*token);
  }
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

bool PrimView::Wants(Token property) const {
  return !property_names ||
         std::binary_search(property_names->begin(), property_names->end(), property);
}

absl::StatusOr<PrimFlagsPredicate> ParsePredicate(const v1::PrimPredicate& predicate,
                                                  v1::PrimPredicate::Preset preset) {
  static constexpr uint16_t kFlags[] = {0,          kPrimActive,   kPrimLoaded,  kPrimModel,
                                        kPrimGroup, kPrimAbstract, kPrimDefined, kPrimInstance};
  if (predicate.preset() != v1::PrimPredicate::PRESET_UNSPECIFIED) preset = predicate.preset();
  PrimFlagsPredicate result = preset == v1::PrimPredicate::PRESET_ALL
                                  ? PrimFlagsPredicate::All()
                                  : PrimFlagsPredicate::Default();
  result.instance_proxies = predicate.instance_proxies();
  const auto add = [&](const google::protobuf::RepeatedField<int>& flags,
                       bool wanted) -> absl::Status {
    for (const int flag : flags) {
      if (flag <= 0 || flag >= static_cast<int>(std::size(kFlags))) {
        return InvalidFieldError(wanted ? "required_flags" : "excluded_flags", Concat(flag),
                                 "unknown prim flag");
      }
      result = result.With(kFlags[flag], wanted);
    }
    return absl::OkStatus();
  };
  SD_RETURN_IF_ERROR(add(predicate.required_flags(), true));
  SD_RETURN_IF_ERROR(add(predicate.excluded_flags(), false));
  return result;
}

v1::ValueSource ToProto(ResolveInfoSource kind) {
  static_assert(static_cast<int>(ResolveInfoSource::kSpline) + 1 == v1::VALUE_SOURCE_SPLINE);
  return static_cast<v1::ValueSource>(static_cast<int>(kind) + 1);
}

void FillPropertyStackEntry(const PropertyStackEntry& entry, ReplyBudget& budget, v1::Site* out) {
  if (entry.layer != nullptr) out->set_layer(budget.Text(entry.layer->identifier()));
  out->set_path(budget.Text(entry.path.ToString()));
  out->set_arc(budget.Text(entry.is_clip ? "clip" : ArcTypeName(entry.arc)));
  FillOffset(entry.offset, budget, out);
}

void FillPrimStack(const Prim& prim, ReplyBudget& budget,
                   google::protobuf::RepeatedPtrField<v1::Site>* out) {
  for (const PrimSpecHandle& site : prim.index().index->prim_stack()) {
    if (!budget.ok()) return;
    FillSite(prim, site, budget, budget.Add(out));
  }
}

void FillPrimMetadata(const Prim& prim, ReplyBudget& budget,
                      google::protobuf::RepeatedPtrField<v1::Field>* out) {
  FillMetadata(prim.AllMetadata(budget.context()), FieldsShownElsewhere(prim.IsPseudoRoot()),
               budget, out);
}

void FillProperty(const Property& property, const PrimView& view, ReplyBudget& budget,
                  v1::Property* out) {
  out->set_name(budget.Text(property.name().text()));
  out->set_custom(property.IsCustom());
  out->set_authored(property.IsAuthored());
  if (view.Has(v1::PRIM_DETAIL_METADATA)) {
    FillMetadata(property.AllMetadata(budget.context()), PropertyFieldsShownElsewhere(), budget,
                 out->mutable_metadata());
  }
  if (property.is_attribute()) {
    FillAttribute(Attribute(property), view, budget, out);
  } else {
    FillRelationship(Relationship(property), view, budget, out);
  }
  if (view.Has(v1::PRIM_DETAIL_STACKS)) FillStacks(property, view, budget, out);
}

void FillPrim(const Prim& prim, const PrimView& view, ReplyBudget& budget, v1::Prim* out) {
  budget.Charge(sizeof(v1::Prim));
  out->set_path(budget.Text(prim.PathText()));
  if (view.Has(v1::PRIM_DETAIL_SUMMARY)) {
    WireWriter summary;
    WritePrimSummary(prim, &summary);
    out->MergeFromString(summary.ToString());
  }
  if (view.Has(v1::PRIM_DETAIL_SCHEMAS)) FillSchemas(prim, budget, out);
  if (view.Has(v1::PRIM_DETAIL_CHILDREN)) FillChildren(prim, view, budget, out);
  if (view.Has(v1::PRIM_DETAIL_VARIANT_SETS)) FillVariantSets(prim, budget, out);
  if (view.Has(v1::PRIM_DETAIL_METADATA)) FillPrimMetadata(prim, budget, out->mutable_metadata());
  if (view.Has(v1::PRIM_DETAIL_STACKS)) FillPrimStack(prim, budget, out->mutable_prim_stack());
  if (!view.Has(v1::PRIM_DETAIL_PROPERTIES)) return;
  for (const Token name : prim.PropertyNames()) {
    if (!budget.ok()) return;
    if (!view.Wants(name)) continue;
    FillProperty(prim.GetProperty(name), view, budget, budget.Add(out->mutable_properties()));
  }
}

}  // namespace stagedoor::server
