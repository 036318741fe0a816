#include "scene/skel/blend_shape_reader.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "scene/geom/attribute_values.h"
#include "scene/skel/skel_tokens.h"
#include "scene/stage/property.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

constexpr std::string_view kInbetweens = "inbetweens:";
constexpr std::string_view kNormalOffsets = ":normalOffsets";

// The weight at which an in-between applies; in-betweens without one are ignored. The metadata is
// untyped, so it may be any number.
std::optional<float> WeightOf(RequestContext& context, const Attribute& inbetween) {
  const Value value = inbetween.Metadata(context, Skel().weight);
  if (const double* d = value.Get<double>()) return static_cast<float>(*d);
  if (const float* f = value.Get<float>()) return *f;
  if (const int* i = value.Get<int>()) return static_cast<float>(*i);
  return std::nullopt;
}

Array<Vec3f> Offsets(RequestContext& context, const Prim& prim, Token name) {
  return AttributeArray<Vec3f>(context, prim, name, TimeCode::Default());
}

void AddInbetween(RequestContext& context, const Prim& prim, Token name, BlendShape* shape,
                  std::vector<std::string>* warnings) {
  const Attribute attribute = prim.GetAttribute(name);
  if (!attribute.valid()) return;
  const std::optional<float> weight = WeightOf(context, attribute);
  if (!weight) return;
  // 0 and 1 are the weights of the null and the full shape, which are implied.
  if (std::abs(*weight) < 1e-6f || std::abs(*weight - 1) < 1e-6f) {
    warnings->push_back(attribute.path().ToString() +
                        ": the weight of an in-between must not be 0 or 1");
    return;
  }
  SubShape sub{.weight = *weight,
               .is_null = false,
               .inbetween = name,
               .offsets = Offsets(context, prim, name),
               .normal_offsets = {}};
  // Normal offsets are in an attribute of their own, inbetweens:NAME:normalOffsets. A name that was
  // never interned is not in any layer.
  const auto normals = Token::Find(std::string(name.text()).append(kNormalOffsets));
  if (normals) sub.normal_offsets = Offsets(context, prim, *normals);
  shape->sub_shapes.push_back(std::move(sub));
}

// The indices as int; old files have them as unsigned int.
Array<int> PointIndices(RequestContext& context, const Prim& prim) {
  const Value value = AttributeValue(context, prim, Skel().pointIndices, TimeCode::Default());
  if (const auto* indices = value.Get<Array<int>>()) return *indices;
  const auto* unsigned_indices = value.Get<Array<uint32_t>>();
  if (!unsigned_indices) return Array<int>();
  std::vector<int> indices(unsigned_indices->begin(), unsigned_indices->end());
  return Array<int>::FromVector(std::move(indices));
}

}  // namespace

BlendShape ReadBlendShape(RequestContext& context, const Prim& prim,
                          std::vector<std::string>* warnings) {
  BlendShape shape;
  if (!prim.valid() || !prim.IsA(Skel().BlendShape)) {
    warnings->push_back("a target of skel:blendShapeTargets is not a BlendShape prim");
    shape.found = false;
    return shape;
  }
  // An inactive prim has no sub-shapes; ComputeSubShapeWeights states what is applied instead.
  if (!prim.IsActive()) return shape;
  shape.point_indices = PointIndices(context, prim);
  shape.sub_shapes.push_back({.weight = 1,
                              .is_null = false,
                              .inbetween = {},
                              .offsets = Offsets(context, prim, Skel().offsets),
                              .normal_offsets = Offsets(context, prim, Skel().normalOffsets)});
  // Only authored properties: no schema declares in-betweens.
  for (const Token name : prim.AuthoredPropertyNames()) {
    const std::string_view text = name.text();
    if (!text.starts_with(kInbetweens) || text.ends_with(kNormalOffsets)) continue;
    AddInbetween(context, prim, name, &shape, warnings);
  }
  FinishBlendShape(&shape);
  return shape;
}

}  // namespace stagedoor
