#include "server/converters/prim_converter.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/status.h"
#include "scene/composition/arc.h"
#include "scene/layer/fields.h"
#include "scene/schema/prim_definition.h"
#include "server/converters/prim_wire.h"
#include "server/converters/value_converter.h"
#include "server/converters/wire_text.h"
#include "server/errors.h"

namespace stagedoor {
namespace {

using TokenSet = std::unordered_set<Token>;

absl::Status InvalidField(std::string_view message) {
  return WithReason(InvalidArgumentError(message), reason::kInvalidField);
}

// Fields that have a place of their own in the messages, or that composition consumed.
const TokenSet& FieldsShownElsewhere(bool pseudo_root) {
  const FieldTokens& f = Fields();
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
  const FieldTokens& f = Fields();
  static const TokenSet kProperty = {f.typeName,        f.variability, f.custom,
                                     f.default_,        f.timeSamples, f.spline,
                                     f.connectionPaths, f.targetPaths};
  return kProperty;
}

// What a schema says about itself is no news to a client.
bool IsSchemaProse(const MetadataField& field) {
  const FieldTokens& f = Fields();
  return !field.authored &&
         (field.name == f.documentation || field.name == f.comment || field.name == f.customData);
}

void FillMetadata(const std::vector<MetadataField>& fields, const TokenSet& shown_elsewhere,
                  google::protobuf::RepeatedPtrField<v1::Field>* out) {
  for (const MetadataField& field : fields) {
    if (shown_elsewhere.contains(field.name) || IsSchemaProse(field)) continue;
    v1::Field* added = out->Add();
    added->set_name(WireText(field.name.text()));
    FillValue(field.value, added->mutable_value());
  }
}

void FillSchemas(const Prim& prim, v1::Prim* out) {
  out->set_kind(WireText(prim.kind().text()));
  for (const Token schema : prim.AppliedSchemas()) out->add_api_schemas(WireText(schema.text()));
  if (prim.definition() == nullptr) return;
  for (const Token type : prim.definition()->lineage()) {
    out->add_schema_ancestors(WireText(type.text()));
  }
}

void FillVariantSets(RequestContext& context, const Prim& prim, v1::Prim* out) {
  for (const VariantSetInfo& info : prim.VariantSets(context)) {
    v1::VariantSet* set = out->add_variant_sets();
    set->set_name(WireText(info.name));
    set->set_selection(WireText(info.selection));
    for (const std::string& choice : info.choices) set->add_choices(WireText(choice));
  }
}

void FillSite(const Prim& prim, uint32_t site_index, v1::Site* out) {
  const PrimIndexRef& index = prim.index();
  const PrimSite& site = index.index->sites()[site_index];
  out->set_layer(WireText(site.layer->identifier()));
  out->set_arc(std::string(ArcName(index.ArcOf(site.node))));
  const LayerOffset offset = index.OffsetOf(site);
  if (!offset.IsIdentity()) FillLayerOffset(offset, out->mutable_layer_offset());
}

void FillValues(RequestContext& context, const Attribute& attribute, const AttributeSource& numeric,
                const PrimView& view, v1::Property* out) {
  out->set_source(ToWire(numeric.kind()));
  out->set_blocked(numeric.blocked());
  std::vector<Value> values;
  std::optional<AttributeSource> at_default;
  for (const Time time : view.times) {
    if (time.is_default() && !at_default) at_default = attribute.CompileDefault(context);
    values.push_back(attribute.Get(context, time.is_default() ? *at_default : numeric, time,
                                   view.interpolation));
  }
  const bool uniform = std::all_of(values.begin(), values.end(),
                                   [&](const Value& v) { return v == values.front(); });
  if (uniform && !values.empty()) return FillValue(values.front(), out->mutable_uniform_value());
  for (const Value& value : values) FillValue(value, out->add_values());
}

void FillAttribute(RequestContext& context, const Attribute& attribute, const PrimView& view,
                   v1::Property* out) {
  out->set_kind(v1::Property::KIND_ATTRIBUTE);
  out->set_type_name(WireText(attribute.TypeName().text()));
  if (attribute.GetVariability() == Variability::kUniform) {
    out->set_variability(v1::VARIABILITY_UNIFORM);
  }
  if (view.Has(v1::PRIM_DETAIL_TARGETS)) {
    for (const Path path : attribute.Connections(context)) out->add_connections(path.ToString());
  }
  if (!view.Has(v1::PRIM_DETAIL_VALUES) && !view.Has(v1::PRIM_DETAIL_TIME_SAMPLES)) return;
  const AttributeSource numeric = attribute.Compile(context);
  if (view.Has(v1::PRIM_DETAIL_VALUES)) FillValues(context, attribute, numeric, view, out);
  if (view.Has(v1::PRIM_DETAIL_TIME_SAMPLES)) {
    const Array<double> times = numeric.SampleTimes(context);
    out->mutable_time_samples()->Add(times.begin(), times.end());
    out->set_might_be_time_varying(numeric.MightBeTimeVarying(context));
  }
}

void FillRelationship(RequestContext& context, const Relationship& relationship,
                      const PrimView& view, v1::Property* out) {
  out->set_kind(v1::Property::KIND_RELATIONSHIP);
  if (!view.Has(v1::PRIM_DETAIL_TARGETS)) return;
  for (const Path path : relationship.Targets(context)) out->add_targets(path.ToString());
  for (const Path path : relationship.ForwardedTargets(context)) {
    out->add_forwarded_targets(path.ToString());
  }
}

void FillStack(RequestContext& context, const AttributeSite& site, Time time,
               v1::PropertyStack* out) {
  for (const StackEntry& entry : PropertyStackAt(context, site, time)) {
    FillStackEntry(entry, out->add_sites());
  }
}

// Only clips make a stack depend on time.
void FillStacks(RequestContext& context, const Property& property, const PrimView& view,
                v1::Property* out) {
  AttributeSite site{.index = &property.prim().index(), .name = property.name()};
  if (property.is_attribute()) site = Attribute(property).Site();
  if (site.clips == nullptr) return FillStack(context, site, Time::Default(), out->add_stacks());
  for (const Time time : view.times) FillStack(context, site, time, out->add_stacks());
}

}  // namespace

absl::StatusOr<uint32_t> ParseDetails(const google::protobuf::RepeatedField<int>& details,
                                      std::initializer_list<v1::PrimDetail> otherwise) {
  uint32_t mask = 0;
  for (const int detail : details) {
    if (detail == 0 || !v1::PrimDetail_IsValid(detail)) {
      return InvalidField(Concat("unknown prim detail ", detail));
    }
    mask |= 1u << detail;
  }
  if (details.empty()) {
    for (const v1::PrimDetail detail : otherwise) mask |= 1u << detail;
  }
  return mask;
}

absl::StatusOr<PrimPredicate> ParsePredicate(const v1::PrimPredicate& predicate,
                                             v1::PrimPredicate::Preset preset) {
  static constexpr uint16_t kFlags[] = {0,          kPrimActive,   kPrimLoaded,  kPrimModel,
                                        kPrimGroup, kPrimAbstract, kPrimDefined, kPrimInstance};
  if (predicate.preset() != v1::PrimPredicate::PRESET_UNSPECIFIED) preset = predicate.preset();
  PrimPredicate result =
      preset == v1::PrimPredicate::PRESET_ALL ? PrimPredicate::All() : PrimPredicate::Default();
  result.instance_proxies = predicate.instance_proxies();
  const auto add = [&](const google::protobuf::RepeatedField<int>& flags, bool wanted) {
    for (const int flag : flags) {
      if (flag <= 0 || flag >= static_cast<int>(std::size(kFlags))) return false;
      result = result.With(kFlags[flag], wanted);
    }
    return true;
  };
  if (!add(predicate.required_flags(), true) || !add(predicate.excluded_flags(), false)) {
    return InvalidField("unknown prim flag");
  }
  return result;
}

v1::ValueSource ToWire(SourceKind kind) {
  static_assert(static_cast<int>(SourceKind::kSpline) + 1 == v1::VALUE_SOURCE_SPLINE);
  return static_cast<v1::ValueSource>(static_cast<int>(kind) + 1);
}

void FillStackEntry(const StackEntry& entry, v1::Site* out) {
  if (entry.layer != nullptr) out->set_layer(WireText(entry.layer->identifier()));
  out->set_path(entry.path.ToString());
  out->set_arc(entry.is_clip ? "clip" : std::string(ArcName(entry.arc)));
  if (!entry.offset.IsIdentity()) FillLayerOffset(entry.offset, out->mutable_layer_offset());
}

void FillPrimStack(const Prim& prim, google::protobuf::RepeatedPtrField<v1::Site>* out) {
  const auto sites = prim.index().index->sites();
  for (uint32_t i = 0; i < sites.size(); ++i) {
    v1::Site* site = out->Add();
    FillSite(prim, i, site);
    site->set_path(sites[i].layer->tree().path(sites[i].spec).ToString());
  }
}

void FillProperty(RequestContext& context, const Property& property, const PrimView& view,
                  v1::Property* out) {
  out->set_name(WireText(property.name().text()));
  out->set_custom(property.IsCustom());
  out->set_authored(property.IsAuthored());
  if (view.Has(v1::PRIM_DETAIL_METADATA)) {
    FillMetadata(property.AllMetadata(), PropertyFieldsShownElsewhere(), out->mutable_metadata());
  }
  if (property.is_attribute()) {
    FillAttribute(context, Attribute(property), view, out);
  } else {
    FillRelationship(context, Relationship(property), view, out);
  }
  if (view.Has(v1::PRIM_DETAIL_STACKS)) FillStacks(context, property, view, out);
}

void FillPrim(RequestContext& context, const Prim& prim, const PrimView& view, v1::Prim* out) {
  out->set_path(prim.path().ToString());
  if (view.Has(v1::PRIM_DETAIL_SUMMARY)) {
    std::string summary;
    AppendPrimSummary(prim, &summary);
    out->MergeFromString(summary);
  }
  if (view.Has(v1::PRIM_DETAIL_SCHEMAS)) FillSchemas(prim, out);
  if (view.Has(v1::PRIM_DETAIL_CHILDREN)) {
    for (const Prim& child : prim.Children(view.predicate)) {
      out->add_children(WireText(child.name().text()));
    }
  }
  if (view.Has(v1::PRIM_DETAIL_VARIANT_SETS)) FillVariantSets(context, prim, out);
  if (view.Has(v1::PRIM_DETAIL_METADATA)) {
    FillMetadata(prim.AllMetadata(), FieldsShownElsewhere(prim.IsPseudoRoot()),
                 out->mutable_metadata());
  }
  if (view.Has(v1::PRIM_DETAIL_STACKS)) FillPrimStack(prim, out->mutable_prim_stack());
  if (!view.Has(v1::PRIM_DETAIL_PROPERTIES)) return;
  for (const Token name : prim.PropertyNames()) {
    FillProperty(context, prim.GetProperty(name), view, out->add_properties());
  }
}

}  // namespace stagedoor
