#include "scene/export/flatten.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/strings.h"
#include "scene/layer/compact_layer_builder.h"
#include "scene/layer/field_definition.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/spec_tree.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/anchored_value.h"
#include "scene/stage/field_resolver.h"
#include "scene/stage/metadata.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/reference.h"
#include "scene/values/time_samples.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

constexpr uint64_t kStepsPerProperty = 16;

class Flattener {
 public:
  Flattener(RequestContext& context, const Stage& stage)
      : context_(context), pacer_(context), stage_(stage), layer_(context, "flattened stage") {}

  // Memory of the layer, without shared arrays.
  size_t bytes() const { return layer_.bytes(); }

  absl::StatusOr<std::shared_ptr<const Layer>> Run(Layer::Info info) {
    layer_.Reserve(stage_.prim_count() * 4);
    SpecFields fields;
    CopyMetadata(stage_.PseudoRoot(), &fields);
    layer_.Put(kRootSpec, &fields);
    FlattenPrototypes();
    for (const Prim& prim : stage_.PseudoRoot().Children(PrimFlagsPredicate::All())) {
      FlattenPrim(prim, kRootSpec);
    }
    return layer_.Build(std::move(info));
  }

 private:
  // Prototypes get the first names of the form Flattened_Prototype_N that no prim has.
  void FlattenPrototypes() {
    const std::vector<const Prototype*> prototypes = stage_.Prototypes();
    // All names first, because prototypes may contain instances of each other.
    size_t number = 0;
    for (const Prototype* prototype : prototypes) {
      Path path;
      do {
        path = Path::AbsoluteRoot().AppendChild(Token(Concat("Flattened_Prototype_", ++number)));
      } while (stage_.FindPrim(path).valid());
      flattened_[prototype] = path;
    }
    for (const Prototype* prototype : prototypes) {
      const Path path = flattened_[prototype];
      const SpecId spec = layer_.Add(kRootSpec, SpecType::kPrim, path.name());
      SpecFields fields;
      fields.Set(Fields().specifier, Value(Specifier::kOver));
      layer_.Put(spec, &fields);
      for (const Prim& child : stage_.PrototypeChildren(*prototype, path)) {
        FlattenPrim(child, spec);
      }
    }
  }

  void FlattenPrim(const Prim& prim, SpecId parent) {
    if (!prim.IsActive() || !pacer_.Go(20) || context_.failed()) return;
    const SpecId spec = layer_.Add(parent, SpecType::kPrim, prim.name());
    SpecFields& fields = fields_;
    fields.Clear();
    fields.Set(Fields().specifier, Value(prim.specifier()));
    if (!prim.type_name().empty()) fields.Set(Fields().typeName, Value(prim.type_name()));
    CopyMetadata(prim, &fields);
    if (prim.IsInstance()) {
      ListOp<Reference> op;
      op.appended.push_back({.prim_path = flattened_[prim.data().prototype]});
      fields.Set(Fields().references, Value(std::move(op)));
    }
    layer_.Put(spec, &fields);
    for (const Token name : prim.index().index->property_names()) {
      if (!pacer_.Go(kStepsPerProperty) || context_.failed()) return;
      FlattenProperty(prim.GetProperty(name), spec);
    }
    if (prim.IsInstance()) return;
    for (const Prim& child : prim.Children(PrimFlagsPredicate::All())) FlattenPrim(child, spec);
  }

  // Copies authored metadata only, because the schemas supply their fallbacks again. As in OpenUSD,
  // fields that are unknown or belong to another type of spec are dropped.
  void CopyFields(const std::vector<SpecHandle>& sites, const Prim& prim, SpecType type,
                  SpecFields* fields) {
    names_.clear();
    for (const SpecHandle& site : sites) {
      for (const Token field : site.layer->FieldNames(site.spec)) {
        // Clips become time samples.
        if (IsStructuralField(field) || field == Fields().clips || field == Fields().clipSets)
          continue;
        if (IsField(type, field)) names_.push_back(field);
      }
    }
    if (names_.empty()) return;
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    const FieldAnchorer anchor(prim);
    for (const Token field : names_) {
      fields->Set(field, ComposeField(context_, sites, field, nullptr, anchor));
    }
  }

  bool IsField(SpecType type, Token field) const {
    if (FindFieldDefinition(type, field)) return true;
    const SchemaRegistry* schemas = stage_.environment().schemas;
    return schemas && schemas->plugin_fields().Find(type, field);
  }

  void CopyMetadata(const Prim& prim, SpecFields* fields) {
    const SpecType type = prim.IsPseudoRoot() ? SpecType::kPseudoRoot : SpecType::kPrim;
    CopyFields(PrimSpecHandles(*prim.index().index, prim.IsPseudoRoot()), prim, type, fields);
  }

  void FlattenProperty(const Property& property, SpecId prim_spec) {
    if (!property.valid()) return;
    SpecFields& fields = fields_;
    fields.Clear();
    SpecType type = SpecType::kRelationship;
    if (property.is_attribute()) {
      type = SpecType::kAttribute;
      // As in OpenUSD, an attribute of unknown type is not written.
      const Token type_name = Attribute(property).TypeName();
      if (type_name.empty()) return;
      fields.Set(Fields().typeName, Value(type_name));
    }
    const SpecId spec = layer_.Add(prim_spec, type, property.name());
    const Prim& prim = property.prim();
    const std::vector<SpecHandle> sites = PropertySpecHandles(*prim.index().index, property.name());
    CopyFields(sites, prim, type, &fields);
    // Any opinion can make a property custom, but OpenUSD writes `custom` only if the weakest
    // opinion is true.
    const auto custom = sites.back().layer->GetAs<bool>(sites.back().spec, Fields().custom);
    if (custom.value_or(false) && property.IsCustom()) fields.Set(Fields().custom, Value(true));
    if (property.is_attribute()) {
      FlattenAttribute(Attribute(property), &fields);
    } else {
      const auto variability =
          sites[0].layer->GetAs<Variability>(sites[0].spec, Fields().variability);
      fields.Set(Fields().variability, Value(variability.value_or(Variability::kUniform)));
      SetPaths(&fields, Fields().targetPaths, Relationship(property).Targets(context_));
    }
    layer_.Put(spec, &fields);
  }

  // As in OpenUSD, an empty list is not written even if a layer authors one.
  void SetPaths(SpecFields* fields, Token field, std::vector<Path> paths) {
    if (!paths.empty()) fields->Set(field, Value(ListOp<Path>::Explicit(std::move(paths))));
  }

  void FlattenAttribute(const Attribute& attribute, SpecFields* fields) {
    if (attribute.GetVariability() == Variability::kUniform) {
      fields->Set(Fields().variability, Value(Variability::kUniform));
    }
    SetPaths(fields, Fields().connectionPaths, attribute.Connections(context_));
    FlattenDefault(attribute, fields);
    FlattenAnimation(attribute, fields);
  }

  void FlattenDefault(const Attribute& attribute, SpecFields* fields) {
    if (!attribute.HasAuthoredMetadata(Fields().default_)) return;
    // As in OpenUSD, an authored default without a value is a block, such as edits of a block; the
    // fallback answers for an animation block.
    const AttributeSource source = attribute.CompileDefault(context_);
    Value value = AnchoredValue(context_, attribute, source, TimeCode::Default());
    fields->Set(Fields().default_, value.empty() ? Value(ValueBlock()) : std::move(value));
  }

  void FlattenAnimation(const Attribute& attribute, SpecFields* fields) {
    const AttributeSource source = attribute.Compile(context_);
    // If the value comes from a spline, the spline is written and not sampled.
    fields->Set(Fields().spline, source.RetimedSpline(context_));
    const ClipAttribute* clips = source.clip_attribute();
    if (source.kind() == ResolveInfoSource::kSpline || (clips && clips->has_spline())) return;
    std::vector<std::pair<double, Value>> samples = Samples(attribute, source);
    if (samples.empty()) return;
    for (auto& [time, value] : samples) {
      if (value.empty()) value = Value(ValueBlock());  // no value at that time
    }
    fields->Set(Fields().timeSamples, Value::FromSamples(MakeTimeSamples(std::move(samples))));
  }

  std::vector<std::pair<double, Value>> Samples(const Attribute& attribute,
                                                const AttributeSource& source) {
    // The samples of a layer keep their values: evaluating them at their mapped times could miss
    // one by rounding.
    if (auto samples = source.RetimedSamples()) {
      for (auto& [time, value] : *samples) {
        value = AnchorValue(context_, attribute, source, std::move(value), TimeCode::At(time));
        layer_.CountSample(value);
      }
      return *std::move(samples);
    }
    std::vector<std::pair<double, Value>> samples;
    const Array<double> times = source.SampleTimes(context_);
    samples.reserve(times.size());
    for (const double time : times) {
      if (!pacer_.Go(5) || context_.failed()) return {};
      samples.emplace_back(time, AnchoredValue(context_, attribute, source, TimeCode::At(time)));
      layer_.CountSample(samples.back().second);
    }
    return samples;
  }

  RequestContext& context_;
  Pacer pacer_;
  const Stage& stage_;
  CompactLayerBuilder layer_;
  std::unordered_map<const Prototype*, Path> flattened_;
  // Scratch, to save allocations: the fields of the current spec and their names.
  SpecFields fields_;
  std::vector<Token> names_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Layer>> FlattenStage(RequestContext& context,
                                                          const Stage& stage, Layer::Info info,
                                                          size_t* bytes) {
  Flattener flattener(context, stage);
  auto layer = flattener.Run(std::move(info));
  if (bytes != nullptr) *bytes = flattener.bytes();
  return layer;
}

}  // namespace stagedoor
