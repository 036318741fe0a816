#include "scene/skel/skin_arrays.h"

#include <functional>
#include <optional>

#include "base/hash.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status_macros.h"
#include "scene/layer/field_keys.h"
#include "scene/value_resolution/property_walk.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;

LruCacheOptions Bounded() { return {.max_bytes = kMaxBytes, .shards = 4}; }

// The spec whose default is the value of the attribute at all times; none if that takes the general
// way. Samples, splines and clips anywhere may answer instead of the default, depending on the
// time.
std::optional<PropertyOpinion> OnlyDefault(const Attribute& attribute) {
  const Prim& prim = attribute.prim();
  if (prim.clips() && !prim.clips()->empty()) return std::nullopt;
  std::optional<PropertyOpinion> found;
  WalkProperty(*prim.index().index, attribute.name(), [&](const PropertyOpinion& opinion) {
    const Layer& layer = *opinion.layer;
    if (layer.Has(opinion.spec, Fields().timeSamples) || layer.Has(opinion.spec, Fields().spline)) {
      return false;
    }
    if (layer.Has(opinion.spec, Fields().default_)) found = opinion;
    return !found;
  });
  return found;
}

// Counts the elements even of an array that is a view of a mapped file.
size_t ByteSize(const Value& value) {
  if (const auto* ints = value.Get<Array<int>>()) return ints->size() * sizeof(int);
  if (const auto* floats = value.Get<Array<float>>()) return floats->size() * sizeof(float);
  return 0;
}

}  // namespace

SkinArrays& SkinArrays::Of(const Stage& stage) {
  return stage.derived().Get<SkinArrays>(stage.memory().pool());
}

SkinArrays::SkinArrays(MemoryPool* pool) : values_(Bounded()), layouts_(Bounded()), memory_(pool) {}

void SkinArrays::Charge() {
  // Prims keep what they hold; it is just not shared with later ones.
  if (memory_.over()) {
    values_.Clear();
    layouts_.Clear();
  }
  memory_.Set(values_.bytes() + layouts_.bytes());
}

size_t SkinArrays::Hash::operator()(const SpecKey& key) const {
  return HashCombine(key.spec, key.layer);
}

size_t SkinArrays::Hash::operator()(const LayoutKey& key) const {
  const uint64_t sizes = key.size + static_cast<size_t>(key.per_point) + key.joints;
  return HashCombine(HashCombine(sizes, key.indices), key.weights);
}

AttributeQuery SkinArrays::Prepare(RequestContext& context, const Attribute& attribute) {
  if (!attribute.valid()) return AttributeQuery();
  if (const auto opinion = OnlyDefault(attribute)) {
    const auto value = values_.GetOrLoad(context, {opinion->layer, opinion->spec}, [&] {
      // Layers are immutable, so the value of a spec never changes under its key.
      Value read = opinion->layer->Get(opinion->spec, Fields().default_);
      const size_t bytes = ByteSize(read) + sizeof(Value);
      using Loaded = decltype(values_)::Loaded;
      return absl::StatusOr<Loaded>(Loaded{std::make_shared<const Value>(std::move(read)), bytes});
    });
    Charge();
    // Blocks, array edits and anything else that is not a plain array take the general way.
    if (value.ok() && ((*value)->Is<Array<int>>() || (*value)->Is<Array<float>>())) {
      return AttributeQuery(attribute, **value);
    }
  }
  return AttributeQuery(context, attribute);
}

absl::StatusOr<std::shared_ptr<const SkinArrays::Layout>> SkinArrays::Influences(
    RequestContext& context, const Array<int>& indices, const Array<float>& weights, int per_point,
    size_t joints) {
  // The number of joints is part of the key, because it decides whether the indices are valid.
  const LayoutKey key{indices.data(), weights.data(), indices.size(), per_point, joints};
  using Loaded = decltype(layouts_)::Loaded;
  auto layout = layouts_.GetOrLoad(context, key, [&]() -> absl::StatusOr<Loaded> {
    // The layout is as large as the arrays, whose size the file decides.
    Reservation reserved(context);
    SD_RETURN_IF_ERROR(
        reserved.Grow(indices.size() * (sizeof(int) + sizeof(float)), "joint influences"));
    const size_t points = indices.size() / static_cast<size_t>(per_point);
    SD_ASSIGN_OR_RETURN(
        SkinningInfluences influences,
        SkinningInfluences::Create(indices.span(), weights.span(), per_point, points, joints));
    auto layout = std::make_shared<Layout>(Layout{indices, weights, std::move(influences)});
    const size_t bytes = sizeof(Layout) + layout->influences.byte_size();
    return Loaded{std::move(layout), bytes};
  });
  Charge();
  return layout;
}

}  // namespace stagedoor
