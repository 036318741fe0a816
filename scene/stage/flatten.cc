#include "scene/stage/flatten.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "scene/layer/field_registry.h"
#include "scene/layer/fields.h"
#include "scene/layer/layer_builder.h"
#include "scene/stage/field_finisher.h"
#include "scene/stage/metadata.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"
#include "scene/values/time_samples.h"
#include "scene/values/type_name.h"

namespace stagedoor {
namespace {

class Flattener {
 public:
  Flattener(RequestContext& context, const Stage& stage) : context_(context), stage_(stage) {}

  absl::StatusOr<std::shared_ptr<const Layer>> Run(Layer::Info info) {
    CopyMetadata(stage_.PseudoRoot(), kRootSpec);
    FlattenPrototypes();
    for (const Prim& prim : stage_.PseudoRoot().Children(PrimPredicate::All())) {
      FlattenPrim(prim, kRootSpec);
    }
    if (absl::Status status = context_.Check(); !status.ok()) return status;
    return std::move(builder_).Build(std::move(info));
  }

 private:
  void FlattenPrototypes() {
    const std::vector<const Prototype*> prototypes = stage_.Prototypes();
    for (const Prototype* prototype : prototypes) {
      const std::string name = Concat("Flattened_Prototype_", flattened_.size() + 1);
      flattened_[prototype] = Path::AbsoluteRoot().AppendChild(Token(name));
    }
    for (const Prototype* prototype : prototypes) {
      const Path path = flattened_[prototype];
      const SpecId spec = builder_.EnsurePrim(path);
      for (const Prim& child : stage_.PrototypeChildren(*prototype, path)) {
        FlattenPrim(child, spec);
      }
    }
  }

  void FlattenPrim(const Prim& prim, SpecId parent) {
    if (!prim.IsActive() || !context_.Check().ok()) return;
    const SpecId spec = builder_.FindOrAdd(parent, SpecType::kPrim, prim.name());
    builder_.Set(spec, Fields().specifier, Value(prim.specifier()));
    if (!prim.type_name().empty()) builder_.Set(spec, Fields().typeName, Value(prim.type_name()));
    CopyMetadata(prim, spec);
    for (const Token name : prim.data().index.index->property_names()) {
      FlattenProperty(prim.GetProperty(name), spec);
    }
    if (prim.IsInstance()) {
      ListOp<Reference> op;
      op.appended.push_back({.prim_path = flattened_[prim.data().prototype]});
      builder_.Set(spec, Fields().references, Value(std::move(op)));
      return;
    }
    for (const Prim& child : prim.Children(PrimPredicate::All())) FlattenPrim(child, spec);
  }

  // Authored metadata only, which schemas do not give again. As OpenUSD: no fields that are unknown
  // or belong on another kind of spec.
  void CopyFields(const std::vector<FieldSite>& sites, const PrimIndexRef& index, SpecType type,
                  SpecId spec) {
    const FieldAnchorer finish(stage_, index);
    for (const Token field : AuthoredFields(sites)) {
      if (IsStructuralField(field) || field == Fields().clips || field == Fields().clipSets)
        continue;
      if (!FindField(type, field)) continue;
      builder_.Set(spec, field, ComposeField(sites, field, nullptr, finish));
    }
  }

  void CopyMetadata(const Prim& prim, SpecId spec) {
    const SpecType type = prim.IsPseudoRoot() ? SpecType::kPseudoRoot : SpecType::kPrim;
    CopyFields(PrimFieldSites(*prim.index().index, prim.IsPseudoRoot()), prim.index(), type, spec);
  }

  void FlattenProperty(const Property& property, SpecId prim_spec) {
    if (!property.valid()) return;
    // As OpenUSD: an attribute of a type that nobody knows is not written.
    if (property.is_attribute() && !FindTypeName(Attribute(property).TypeName())) return;
    const SpecType type = property.is_attribute() ? SpecType::kAttribute : SpecType::kRelationship;
    const SpecId spec = builder_.FindOrAdd(prim_spec, type, property.name());
    const PrimIndexRef& index = property.prim().index();
    const std::vector<FieldSite> sites = PropertyFieldSites(*index.index, property.name());
    CopyFields(sites, index, type, spec);
    // Of what is custom by any opinion, the weakest one decides here.
    const auto custom = sites.back().layer->GetAs<bool>(sites.back().spec, Fields().custom);
    if (property.IsCustom() && custom.value_or(false)) {
      builder_.Set(spec, Fields().custom, Value(true));
    }
    if (property.is_attribute()) {
      FlattenAttribute(Attribute(property), spec);
      return;
    }
    const auto variability =
        sites[0].layer->GetAs<Variability>(sites[0].spec, Fields().variability);
    builder_.Set(spec, Fields().variability, Value(variability.value_or(Variability::kUniform)));
    SetPaths(spec, Fields().targetPaths, Relationship(property).Targets());
  }

  // None where there are none, even where a layer says so.
  void SetPaths(SpecId spec, Token field, std::vector<Path> paths) {
    if (!paths.empty()) builder_.Set(spec, field, Value(ListOp<Path>::Explicit(std::move(paths))));
  }

  void FlattenAttribute(const Attribute& attribute, SpecId spec) {
    builder_.Set(spec, Fields().typeName, Value(attribute.TypeName()));
    if (attribute.GetVariability() == Variability::kUniform) {
      builder_.Set(spec, Fields().variability, Value(Variability::kUniform));
    }
    SetPaths(spec, Fields().connectionPaths, attribute.Connections());
    FlattenDefault(attribute, spec);
    FlattenAnimation(attribute, spec);
  }

  void FlattenDefault(const Attribute& attribute, SpecId spec) {
    const AttributeSource source = attribute.CompileDefault(context_);
    if (source.kind() == SourceKind::kDefault) {
      builder_.Set(spec, Fields().default_, AnchoredValue(attribute, source, Time::Default()));
    } else if (source.blocked()) {
      builder_.Set(spec, Fields().default_, Value(ValueBlock()));
    }
  }

  void FlattenAnimation(const Attribute& attribute, SpecId spec) {
    const AttributeSource source = attribute.Compile(context_);
    if (source.kind() == SourceKind::kSpline) {
      builder_.Set(spec, Fields().spline, source.RetimedSpline());
      return;
    }
    const Array<double> times = source.SampleTimes(context_);
    if (times.empty()) return;
    std::vector<std::pair<double, Value>> samples;
    samples.reserve(times.size());
    for (const double time : times) {
      Value value = AnchoredValue(attribute, source, Time::At(time));
      samples.emplace_back(time, value.empty() ? Value(ValueBlock()) : std::move(value));
    }
    builder_.Set(spec, Fields().timeSamples,
                 Value::FromSamples(MakeTimeSamples(std::move(samples))));
  }

  // In stage time, asset paths anchored to the layer of the opinion.
  Value AnchoredValue(const Attribute& attribute, const AttributeSource& source, Time time) {
    Value value = source.ValueAt(context_, time, stage_.interpolation());
    if (value.type() != ValueType::kAssetPath) return value;
    const PrimIndexRef& index = attribute.prim().index();
    if (source.opinion()) {
      const PrimSite& site = index.index->sites()[source.opinion()->site];
      return FieldAnchorer(stage_, index)
          .Anchor(std::move(value), *site.layer, *index.index->nodes()[site.node].layer_stack);
    }
    if (const ClipAttribute* clips = source.clip_attribute()) {
      const auto layer = clips->LayerAt(context_, clips->offset().Inverse().Apply(time.value()));
      if (layer) {
        return FieldAnchorer(stage_, index)
            .Anchor(std::move(value), *layer, stage_.root_layer_stack());
      }
    }
    return value;
  }

  RequestContext& context_;
  const Stage& stage_;
  LayerBuilder builder_;
  std::unordered_map<const Prototype*, Path> flattened_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Layer>> FlattenStage(RequestContext& context,
                                                          const Stage& stage, Layer::Info info) {
  return Flattener(context, stage).Run(std::move(info));
}

}  // namespace stagedoor
