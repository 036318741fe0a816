#include "server/converters/prim_converter.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/composition/arc_type.h"
#include "scene/layer/field_keys.h"
#include "scene/schema/prim_definition.h"
#include "scene/values/layer_offset.h"
#include "server/check_count.h"
#include "server/converters/item_state.h"
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

void FillSchemas(const Prim& prim, const PrimMask& mask, ReplyBudget& budget, v1::Prim* out) {
  using P = v1::Prim;
  if (mask.Has(P::kKindFieldNumber)) out->set_kind(budget.Text(prim.kind().text()));
  if (mask.Has(P::kApiSchemasFieldNumber)) {
    budget.AddTokens(prim.AppliedSchemas(), out->mutable_api_schemas());
  }
  if (mask.Has(P::kSchemaAncestorsFieldNumber) && prim.definition() != nullptr) {
    budget.AddTokens(prim.definition()->lineage(), out->mutable_schema_ancestors());
  }
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

uint32_t SpecCount(const PrimIndexNode& node) { return node.inert ? 0 : node.site_count; }

// For each node, whether it has specs, or leads to some that do.
std::vector<bool> ContributingNodes(std::span<const PrimIndexNode> nodes) {
  std::vector<bool> contributes(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    if (SpecCount(nodes[i]) > 0) contributes[i] = true;
    const int parent = nodes[i].parent;
    if (contributes[i] && parent >= 0) contributes[static_cast<size_t>(parent)] = true;
  }
  return contributes;
}

// `parent`: the number of its parent in the reply.
void FillArc(const PrimIndexRef& index, size_t number, uint32_t parent, ReplyBudget& budget,
             v1::CompositionArc* out) {
  const PrimIndexNode& node = index.index->nodes()[number];
  out->set_type(budget.Text(ArcTypeName(index.ArcOf(static_cast<uint32_t>(number)))));
  out->set_layer(budget.Text(node.layer_stack->root_layer().identifier()));
  out->set_path(budget.Text(node.path.ToString()));
  out->set_parent(parent);
  out->set_implied(node.origin != node.parent);
  // Only prims below those that have the arc share an index.
  out->set_ancestral(node.due_to_ancestor || (number == 0 && index.outer));
  out->set_spec_count(SpecCount(node));
}

// Parents precede their arcs, so their numbers are known.
void FillArcs(const Prim& prim, ReplyBudget& budget,
              google::protobuf::RepeatedPtrField<v1::CompositionArc>* out) {
  const PrimIndexRef& index = prim.index();
  const std::span<const PrimIndexNode> nodes = index.index->nodes();
  const std::vector<bool> contributes = ContributingNodes(nodes);
  std::vector<uint32_t> numbers(nodes.size());
  for (size_t i = 0; i < nodes.size() && budget.ok(); ++i) {
    if (!contributes[i]) continue;
    numbers[i] = static_cast<uint32_t>(out->size());
    const int parent = nodes[i].parent;
    FillArc(index, i, parent < 0 ? 0 : numbers[static_cast<size_t>(parent)], budget,
            budget.Add(out));
  }
}

// Fills a property's values at the times of a view, and their states. As long as all of them are
// equal it keeps only the first, to fill uniform_value; from the first one that differs on it fills
// `values`.
class ValuesFiller {
 public:
  ValuesFiller(ReplyBudget& budget, v1::Property* out) : budget_(budget), out_(out) {}

  void Add(Value value, v1::ItemState state) {
    if (same_ == 0 || (out_->values().empty() && state == first_state_ && value == first_)) {
      if (same_++ == 0) {
        first_ = std::move(value);
        first_state_ = state;
      }
      budget_.Charge(0);
      return;
    }
    if (out_->values().empty()) {
      for (size_t i = 0; i < same_; ++i) AddToList(first_, first_state_);
    }
    AddToList(value, state);
  }

  void Finish() {
    if (same_ == 0 || !out_->values().empty() || !budget_.Charge(sizeof(v1::Value))) return;
    SetState(0, FillOne(first_, first_state_, out_->mutable_uniform_value()));
  }

 private:
  void AddToList(const Value& value, v1::ItemState state) {
    if (!budget_.ok()) return;
    const v1::ItemState filled = FillOne(value, state, budget_.Add(out_->mutable_values()));
    SetState(out_->values_size() - 1, filled);
  }

  // Returns the state, which becomes UNCHANGED for an array that the client has.
  v1::ItemState FillOne(const Value& value, v1::ItemState state, v1::Value* out) {
    if (state == v1::ITEM_STATE_NONE || state == v1::ITEM_STATE_BLOCKED) return state;
    FillValue(value, budget_, out);
    return state == v1::ITEM_STATE_VALUE ? FilledState(*out) : state;
  }

  // Sets the last state so far. The list of states is made for the first that is not VALUE.
  void SetState(int index, v1::ItemState state) {
    auto* states = out_->mutable_value_states();
    if (states->empty() && state == v1::ITEM_STATE_VALUE) return;
    const int more = index + 1 - states->size();
    if (!budget_.Charge(static_cast<size_t>(more) * sizeof(int))) return;
    states->Resize(index, v1::ITEM_STATE_VALUE);
    states->Add(state);
  }

  ReplyBudget& budget_;
  v1::Property* const out_;
  Value first_;
  v1::ItemState first_state_ = v1::ITEM_STATE_UNSPECIFIED;
  size_t same_ = 0;  // number of values before the first that differs
};

void FillValues(const Attribute& attribute, const AttributeSource& numeric, const PrimView& view,
                ReplyBudget& budget, v1::Property* out) {
  RequestContext& context = budget.context();
  ValuesFiller values(budget, out);
  std::optional<AttributeSource> at_default;
  for (const TimeCode time : view.times) {
    if (!budget.ok()) return;
    if (time.is_default() && !at_default) at_default = attribute.CompileDefault(context);
    const AttributeSource& source = time.is_default() ? *at_default : numeric;
    Value value = attribute.Get(context, source, time, view.interpolation);
    const v1::ItemState state = value.is_invalid() ? v1::ITEM_STATE_ERROR : StateOf(value, source);
    values.Add(std::move(value), state);
  }
  values.Finish();
}

void FillTimeSamples(const AttributeSource& numeric, ReplyBudget& budget, v1::Property* out) {
  const Array<double> times = numeric.SampleTimes(budget.context());
  if (times.empty()) return;
  FillPackedArray(ValueType::kDouble, times, budget, out->mutable_time_samples());
}

// Fills what depends on the opinion that supplies an attribute's values.
void FillResolved(const Attribute& attribute, const PrimView& view, ReplyBudget& budget,
                  v1::Property* out) {
  using P = v1::Property;
  constexpr uint32_t kResolved =
      kPropertyValues | FieldSet({P::kSourceFieldNumber, P::kBlockedFieldNumber,
                                  P::kTimeSamplesFieldNumber, P::kMightBeTimeVaryingFieldNumber});
  const PrimMask& mask = view.mask;
  if (!mask.HasAnyOfProperty(kResolved)) return;
  const AttributeSource numeric = attribute.Compile(budget.context());
  if (mask.HasOfProperty(P::kSourceFieldNumber)) out->set_source(ToProto(numeric.kind()));
  if (mask.HasOfProperty(P::kBlockedFieldNumber)) out->set_blocked(numeric.blocked());
  if (mask.HasAnyOfProperty(kPropertyValues)) FillValues(attribute, numeric, view, budget, out);
  if (mask.HasOfProperty(P::kTimeSamplesFieldNumber)) FillTimeSamples(numeric, budget, out);
  if (mask.HasOfProperty(P::kMightBeTimeVaryingFieldNumber)) {
    out->set_might_be_time_varying(numeric.MightBeTimeVarying(budget.context()));
  }
}

void FillAttribute(const Attribute& attribute, const PrimView& view, ReplyBudget& budget,
                   v1::Property* out) {
  out->set_kind(v1::Property::KIND_ATTRIBUTE);
  out->set_type_name(budget.Text(attribute.TypeName().text()));
  if (attribute.GetVariability() == Variability::kUniform) {
    out->set_variability(v1::VARIABILITY_UNIFORM);
  }
  if (view.mask.HasOfProperty(v1::Property::kConnectionsFieldNumber)) {
    AddPaths(attribute.Connections(budget.context()), budget, out->mutable_connections());
  }
  FillResolved(attribute, view, budget, out);
}

void FillRelationship(const Relationship& relationship, const PrimMask& mask, ReplyBudget& budget,
                      v1::Property* out) {
  out->set_kind(v1::Property::KIND_RELATIONSHIP);
  RequestContext& context = budget.context();
  if (mask.HasOfProperty(v1::Property::kTargetsFieldNumber)) {
    AddPaths(relationship.Targets(context), budget, out->mutable_targets());
  }
  if (mask.HasOfProperty(v1::Property::kForwardedTargetsFieldNumber)) {
    AddPaths(relationship.ForwardedTargets(context), budget, out->mutable_forwarded_targets());
  }
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

absl::StatusOr<std::optional<std::vector<Token>>> ParsePropertyNames(
    const google::protobuf::RepeatedPtrField<std::string>& names) {
  constexpr size_t kMaxNames = 10000;
  if (names.empty()) return std::nullopt;
  SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(names.size()), kMaxNames, "property names"));
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
  if (view.mask.HasOfProperty(v1::Property::kMetadataFieldNumber)) {
    FillMetadata(property.AllMetadata(budget.context()), PropertyFieldsShownElsewhere(), budget,
                 out->mutable_metadata());
  }
  if (property.is_attribute()) {
    FillAttribute(Attribute(property), view, budget, out);
  } else {
    FillRelationship(Relationship(property), view.mask, budget, out);
  }
  if (view.mask.HasOfProperty(v1::Property::kStacksFieldNumber)) {
    FillStacks(property, view, budget, out);
  }
}

void FillPrim(const Prim& prim, const PrimView& view, ReplyBudget& budget, v1::Prim* out) {
  using P = v1::Prim;
  budget.Charge(sizeof(v1::Prim));
  out->set_path(budget.Text(prim.PathText()));
  const PrimMask& mask = view.mask;
  if ((mask.prim & kPrimSummary) != 0) {
    WireWriter summary;
    WritePrimSummary(prim, mask, &summary);
    out->MergeFromString(summary.ToString());
  }
  FillSchemas(prim, mask, budget, out);
  if (mask.Has(P::kChildrenFieldNumber)) FillChildren(prim, view, budget, out);
  if (mask.Has(P::kVariantSetsFieldNumber)) FillVariantSets(prim, budget, out);
  if (mask.Has(P::kMetadataFieldNumber)) FillPrimMetadata(prim, budget, out->mutable_metadata());
  if (mask.Has(P::kPrimStackFieldNumber)) FillPrimStack(prim, budget, out->mutable_prim_stack());
  if (mask.Has(P::kArcsFieldNumber)) FillArcs(prim, budget, out->mutable_arcs());
  if (!mask.Has(P::kPropertiesFieldNumber)) return;
  for (const Token name : prim.PropertyNames()) {
    if (!budget.ok()) return;
    if (!view.Wants(name)) continue;
    FillProperty(prim.GetProperty(name), view, budget, budget.Add(out->mutable_properties()));
  }
}

}  // namespace stagedoor::server
