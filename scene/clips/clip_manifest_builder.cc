#include "scene/clips/clip_manifest_builder.h"

#include <string>
#include <utility>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/layer/field_keys.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"
#include "scene/values/value_block.h"
#include "scene/values/value_type_name.h"

namespace stagedoor {
namespace {

// A spline that only declares, by a value block from each of `times` on, which clips have none.
Spline BlockSpline(const Value& type_name, const std::vector<double>& times) {
  Spline spline;
  const Token* name = type_name.Get<Token>();
  const ValueTypeName* type = name ? FindValueTypeName(*name) : nullptr;
  if (type) spline.value_type = type->type;
  for (const double time : times) {
    SplineKnot knot;
    knot.time = time;
    knot.next = KnotInterpolation::kValueBlock;
    spline.knots.push_back(std::move(knot));
  }
  return spline;
}

// Prepends the name of a variant set to the names that its owner lists. Composition ignores variant
// sets that are not listed.
void ListVariantSet(LayerBuilder* layer, SpecId owner, Token set) {
  ListOp<std::string> names;
  const Value* held = layer->Get(owner, Fields().variantSetNames);
  if (held && held->Is<ListOp<std::string>>()) names = *held->Get<ListOp<std::string>>();
  const std::string name = set.str();
  for (const std::string& listed : names.prepended) {
    if (listed == name) return;
  }
  names.prepended.push_back(name);
  layer->Set(owner, Fields().variantSetNames, Value(std::move(names)));
}

}  // namespace

SpecId EnsureAttribute(LayerBuilder* layer, Path path) {
  const SpecId spec = layer->EnsureProperty(path, SpecType::kAttribute);
  for (Path at = path.Parent(); path.ContainsVariantSelection() && !at.IsAbsoluteRoot();
       at = at.Parent()) {
    if (!at.IsVariantSelection()) continue;
    ListVariantSet(layer, layer->EnsurePrim(at.Parent()), at.name());
  }
  return spec;
}

void ClipManifestBuilder::Add(const Layer* layer, double active_time) {
  // A clip that cannot be read takes part, since its attributes are missing in it.
  active_times_.push_back(active_time);
  const SpecId prim = layer ? layer->tree().Find(prim_) : kNoSpec;
  if (prim != kNoSpec) AddBelow(*layer, prim);
}

void ClipManifestBuilder::AddBelow(const Layer& layer, SpecId prim) {
  const SpecTree& tree = layer.tree();
  // A loop instead of recursion: a hostile file may nest prims deeper than the stack allows.
  std::vector<SpecId> pending = {prim};
  Pacer pacer(context_);
  while (!pending.empty()) {
    const SpecId id = pending.back();
    pending.pop_back();
    if (!pacer.Go()) return;
    for (const SpecId spec : tree.properties(id)) {
      if (!pacer.Go(16)) return;
      if (tree.type(spec) == SpecType::kAttribute) AddAttribute(layer, spec);
    }
    // In reverse, so that the first child is visited next. Attributes in variants are declared too,
    // as SdfLayer::Traverse visits them, although clip values are never read from variants
    // (12.3.4).
    for (const SpecRange children : {tree.variants(id), tree.prims(id)}) {
      for (size_t i = children.size(); i-- > 0;) pending.push_back(children[i]);
    }
  }
}

void ClipManifestBuilder::AddAttribute(const Layer& layer, SpecId spec) {
  const Value samples = layer.Get(spec, Fields().timeSamples);
  const bool has_samples = samples.samples() && samples.samples()->size() > 0;
  const bool has_spline = layer.Has(spec, Fields().spline);
  // Defaults in clips are ignored, so an attribute without animation needs no declaration.
  if (!has_samples && !has_spline) return;
  constexpr size_t kEntryBytes = 128;  // overhead of the containers
  const size_t bytes = write_blocks_ ? sizeof(uint32_t) * 2 : 0;
  const bool known = by_path_.contains(layer.tree().path(spec));
  if (!reserved_.Grow(bytes + (known ? 0 : sizeof(Attribute) + kEntryBytes), "a manifest").ok()) {
    return;
  }
  const auto [it, made] = by_path_.emplace(layer.tree().path(spec), attributes_.size());
  // The first clip that has the attribute decides its type, as in Usd_GenerateClipManifest.
  if (made) {
    attributes_.push_back({.path = it->first,
                           .type_name = layer.Get(spec, Fields().typeName),
                           .variability = layer.Get(spec, Fields().variability)});
  }
  Attribute& attribute = attributes_[it->second];
  attribute.samples |= has_samples;
  if (!write_blocks_) return;
  const uint32_t clip = static_cast<uint32_t>(active_times_.size() - 1);
  if (has_samples) attribute.with_samples.push_back(clip);
  if (has_spline) attribute.with_spline.push_back(clip);
}

LayerBuilder ClipManifestBuilder::Build() const {
  LayerBuilder out;
  for (const Attribute& attribute : attributes_) {
    // With blocks, each attribute is compared with each clip.
    if (!context_.Spend(write_blocks_ ? 1 + active_times_.size() : 1).ok()) break;
    const SpecId spec = EnsureAttribute(&out, attribute.path);
    out.Set(spec, Fields().typeName, attribute.type_name);
    if (!attribute.variability.empty()) {
      out.Set(spec, Fields().variability, attribute.variability);
    }
    WriteBlocks(attribute, &out, spec);
  }
  return out;
}

void ClipManifestBuilder::WriteBlocks(const Attribute& attribute, LayerBuilder* out,
                                      SpecId spec) const {
  // 12.3.2: samples beat splines. Once a clip has samples, only samples count, and a clip that has
  // just a spline lacks the attribute.
  const std::vector<uint32_t>& with =
      attribute.samples ? attribute.with_samples : attribute.with_spline;
  std::vector<double> missing;
  size_t next = 0;
  for (uint32_t clip = 0; write_blocks_ && clip < active_times_.size(); ++clip) {
    if (next < with.size() && with[next] == clip) {
      ++next;
    } else {
      missing.push_back(active_times_[clip]);
    }
  }
  // Even without blocks: from a spline in the manifest readers know that clips have splines.
  if (!attribute.samples) {
    out->Set(spec, Fields().spline, Value(BlockSpline(attribute.type_name, missing)));
    return;
  }
  std::vector<std::pair<double, Value>> blocks;
  for (const double time : missing) blocks.emplace_back(time, Value(ValueBlock()));
  if (blocks.empty()) return;
  out->Set(spec, Fields().timeSamples, Value::FromSamples(MakeTimeSamples(std::move(blocks))));
}

absl::StatusOr<LayerBuilder> GenerateClipManifest(
    RequestContext& context, std::span<const std::shared_ptr<const Layer>> layers, Path prim) {
  if (!prim.IsPrim() || !prim.IsAbsolute()) {
    return InvalidArgumentError("a clip manifest needs the absolute path of a prim, not ",
                                prim.empty() ? std::string("an empty path") : prim.ToString());
  }
  ClipManifestBuilder builder(context, prim, /*write_blocks=*/false);
  for (const auto& layer : layers) builder.Add(layer.get(), 0);
  LayerBuilder manifest = builder.Build();
  SD_RETURN_IF_ERROR(context.Check());
  return manifest;
}

}  // namespace stagedoor
