#include "scene/frame/frame_layer_specs.h"

#include <algorithm>

#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_op.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/heap_bytes.h"
#include "scene/lux/light_list.h"
#include "scene/stage/prim_facts.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/reference.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

struct SpecTokens {
  const Token Boundable{"Boundable"};
  const Token Xform{"Xform"};
  const Token group{"group"};
  const Token matrix4d{"matrix4d"};
  const Token xform_op{"xformOp:transform"};
  const Token reset{kResetXformStack};
  const Token token_array{"token[]"};
};
const SpecTokens& SpecNames() {
  static const auto* names = new SpecTokens;
  return *names;
}

}  // namespace

Token TypeWithoutDrawing(const Prim& prim) {
  const bool draws = prim.IsA(SpecNames().Boundable) || prim.IsA(Geom().Camera) || IsLight(prim) ||
                     IsLightFilter(prim);
  return draws || prim.IsA(Geom().GeomSubset) ? SpecNames().Xform : prim.type_name();
}

absl::Status FlatAttribute::Add(RequestContext& context, TimeCode time, Value value) {
  if (reserved.pool() == nullptr) reserved = Reservation(context);
  SD_RETURN_IF_ERROR(
      reserved.Grow(sizeof(FlatSample) + OwnHeapBytes(value), "samples of a frame as a layer"));
  samples.push_back({.time = time, .value = std::move(value)});
  return absl::OkStatus();
}

std::vector<Token> AuthoredApiSchemas(RequestContext& context, const Prim& prim) {
  return ComposeApiSchemas(context, *prim.index().index);
}

SpecId FrameLayerSpecs::Place(const Prim& prim) {
  if (prim.IsPseudoRoot()) return kRootSpec;
  chain_.clear();
  SpecId spec = kRootSpec;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    const auto found = placed_.find(at);
    if (found != placed_.end()) {
      spec = found->second.spec;
      break;
    }
    chain_.push_back(at);
  }
  for (; !chain_.empty() && pacer_.Go(); chain_.pop_back()) {
    const Prim& at = chain_.back();
    const Placed& placed = PlaceBelow(spec, at);
    spec = placed.spec;
    PutPrim(placed, at, {.type_name = TypeWithoutDrawing(at)});
  }
  return spec;
}

FrameLayerSpecs::Placed& FrameLayerSpecs::PlaceBelow(SpecId parent, const Prim& prim) {
  constexpr size_t kPlacedBytes = sizeof(Prim) + sizeof(Placed) + 32;
  reserved_.Grow(kPlacedBytes, "the prims of a layer").IgnoreError();  // which ends the request
  Placed& placed = placed_[prim];
  placed.spec = layer_.Add(parent, SpecType::kPrim, prim.name());
  return placed;
}

SpecId FrameLayerSpecs::Define(const Prim& prim, const FlatPrim& flat) {
  const auto found = placed_.find(prim);
  // Without its ancestors if the request is over.
  Placed& placed = found != placed_.end() ? found->second : PlaceBelow(Place(prim.parent()), prim);
  placed.defined = true;
  PutPrim(placed, prim, flat);
  return placed.spec;
}

bool FrameLayerSpecs::IsDefined(const Prim& prim) const {
  const auto found = placed_.find(prim);
  return found != placed_.end() && found->second.defined;
}

Prim FrameLayerSpecs::DefinedAbove(const Prim& prim) {
  for (Prim at = prim.parent(); at.valid() && !at.IsPseudoRoot() && pacer_.Go(); at = at.parent()) {
    if (IsDefined(at)) return at;
  }
  return {};
}

SpecId FrameLayerSpecs::AddClass(Token name, Token type_name) {
  const SpecId spec = layer_.Add(kRootSpec, SpecType::kPrim, name);
  PutFields(spec, Specifier::kClass, Token(), {.type_name = type_name});
  return spec;
}

void FrameLayerSpecs::PutPrim(const Placed& placed, const Prim& prim, const FlatPrim& flat) {
  PutFields(placed.spec, placed.is_over ? Specifier::kOver : prim.specifier(),
            placed.is_group ? SpecNames().group : prim.kind(), flat);
}

void FrameLayerSpecs::PutFields(SpecId spec, Specifier specifier, Token kind,
                                const FlatPrim& flat) {
  SpecFields fields;
  fields.Set(Fields().specifier, Value(specifier));
  if (!flat.type_name.empty()) fields.Set(Fields().typeName, Value(flat.type_name));
  if (!kind.empty()) fields.Set(Fields().kind, Value(kind));
  if (!flat.api_schemas.empty()) {
    fields.Set(Fields().apiSchemas, Value(ListOp<Token>::Prepended(flat.api_schemas)));
  }
  if (!flat.reference.empty()) {
    ListOp<Reference> references;
    references.prepended.push_back({.prim_path = flat.reference});
    fields.Set(Fields().references, Value(std::move(references)));
  }
  fields.Set(Fields().inactiveIds, flat.inactive_ids);
  layer_.Put(spec, &fields);
}

void FrameLayerSpecs::MakeModel(const Prim& prim) {
  for (Prim at = prim.parent(); at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    const auto found = placed_.find(at);
    if (!pacer_.Go() || found == placed_.end() || found->second.is_group) return;
    if (KindIsGroup(at.kind())) continue;
    found->second.is_group = true;
    SetField(found->second.spec, Fields().kind, Value(SpecNames().group));
  }
}

void FrameLayerSpecs::MakeOver(const Prim& prim) {
  const auto found = placed_.find(prim);
  if (found == placed_.end()) return;
  found->second.is_over = true;
  SetField(found->second.spec, Fields().specifier, Value(Specifier::kOver));
}

void FrameLayerSpecs::SetField(SpecId spec, Token field, Value value) {
  SpecFields fields;
  layer_.Get(spec, &fields);
  fields.Set(field, std::move(value));
  layer_.Put(spec, &fields);
}

void FrameLayerSpecs::AddApiSchema(SpecId prim, Token schema) {
  SpecFields fields;
  layer_.Get(prim, &fields);
  std::vector<Token> schemas;
  if (const Value* value = fields.Get(Fields().apiSchemas)) {
    value->Get<ListOp<Token>>()->ApplyTo(&schemas);
  }
  if (std::find(schemas.begin(), schemas.end(), schema) == schemas.end()) {
    schemas.push_back(schema);
    fields.Set(Fields().apiSchemas, Value(ListOp<Token>::Prepended(std::move(schemas))));
  }
  layer_.Put(prim, &fields);
}

void FrameLayerSpecs::AddAttribute(SpecId prim, FlatAttribute attribute) {
  if (attribute.type_name.empty() || !pacer_.Go()) return;
  SpecFields fields;
  fields.Set(Fields().typeName, Value(attribute.type_name));
  if (attribute.custom) fields.Set(Fields().custom, Value(true));
  if (attribute.uniform) fields.Set(Fields().variability, Value(Variability::kUniform));
  if (!attribute.interpolation.empty()) {
    fields.Set(Fields().interpolation, Value(attribute.interpolation));
  }
  if (attribute.element_size > 1) fields.Set(Fields().elementSize, Value(attribute.element_size));
  for (auto& [field, value] : attribute.metadata) fields.Set(field, std::move(value));
  if (!attribute.connections.empty()) {
    fields.Set(Fields().connectionPaths,
               Value(ListOp<Path>::Explicit(std::move(attribute.connections))));
  }
  PutSamples(attribute, &fields);
  layer_.Put(layer_.Add(prim, SpecType::kAttribute, attribute.name), &fields);
}

void FrameLayerSpecs::PutSamples(FlatAttribute& attribute, SpecFields* fields) {
  attribute.reserved.Release();  // the layer counts them from here on
  for (FlatSample& sample : attribute.samples) {
    if (sample.value.empty()) sample.value = Value(ValueBlock());
    if (attribute.computed) layer_.Count(HeapBytes(sample.value));
  }
  if (attribute.samples.empty()) return;
  // A default that is blocked would leave the fallback.
  const FlatSample& first = attribute.samples.front();
  const bool is_blocked = first.value.Get<ValueBlock>() != nullptr && !first.time.is_default();
  if (attribute.samples.size() == 1 && !is_blocked) {
    return fields->Set(Fields().default_, std::move(attribute.samples.front().value));
  }
  std::vector<std::pair<double, Value>> samples;
  samples.reserve(attribute.samples.size());
  for (FlatSample& sample : attribute.samples) {
    layer_.CountSample(sample.value);
    samples.emplace_back(sample.time.value(), std::move(sample.value));
  }
  fields->Set(Fields().timeSamples, Value::FromSamples(MakeTimeSamples(std::move(samples))));
}

void FrameLayerSpecs::AddValue(SpecId prim, Token name, std::string_view type_name, Value value,
                               bool uniform) {
  AddAttribute(prim, {.name = name,
                      .type_name = Token(type_name),
                      .samples = {{.value = std::move(value)}},
                      .uniform = uniform});
}

void FrameLayerSpecs::AddTransform(SpecId prim, const std::vector<TimeCode>& times,
                                   std::vector<Matrix4d> matrices, bool resets) {
  FlatAttribute transform{.name = SpecNames().xform_op, .type_name = SpecNames().matrix4d};
  for (size_t i = 0; i < times.size(); ++i) {
    transform.samples.push_back({.time = times[i], .value = Value(matrices[i])});
  }
  AddAttribute(prim, std::move(transform));
  std::vector<Token> order = {SpecNames().xform_op};
  if (resets) order.insert(order.begin(), SpecNames().reset);
  AddAttribute(prim, {.name = Geom().xformOpOrder,
                      .type_name = SpecNames().token_array,
                      .samples = {{.value = Value(Array<Token>::FromVector(std::move(order)))}},
                      .uniform = true});
}

void FrameLayerSpecs::AddRelationship(SpecId prim, Token name, std::vector<Path> targets,
                                      bool custom) {
  if (!pacer_.Go()) return;
  SpecFields fields;
  if (custom) fields.Set(Fields().custom, Value(true));
  fields.Set(Fields().variability, Value(Variability::kUniform));
  fields.Set(Fields().targetPaths, Value(ListOp<Path>::Explicit(std::move(targets))));
  layer_.Put(layer_.Add(prim, SpecType::kRelationship, name), &fields);
}

}  // namespace stagedoor
