#include "scene/skel/blend_shapes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scene/values/vector_math.h"

namespace stagedoor {
namespace {

constexpr float kEps = 1e-6f;

bool IsClose(float a, float b) { return std::abs(a - b) < kEps; }

// The two sub-shapes around `weight`, as their indices; the outermost two beyond the ends.
std::pair<size_t, size_t> Around(const std::vector<SubShape>& subs, float weight) {
  const auto it = std::upper_bound(subs.begin(), subs.end(), weight,
                                   [](float w, const SubShape& s) { return w < s.weight; });
  const size_t at = static_cast<size_t>(it - subs.begin());
  const size_t upper = std::clamp<size_t>(at, 1, subs.size() - 1);
  return {upper - 1, upper};
}

bool AddOffsets(std::span<const Vec3f> offsets, std::span<const int> indices, float weight,
                std::vector<Vec3f>* values) {
  if (std::abs(weight) < kEps) return true;
  if (indices.empty()) {
    if (offsets.size() != values->size()) return false;
    for (size_t i = 0; i < offsets.size(); ++i) (*values)[i] = (*values)[i] + offsets[i] * weight;
    return true;
  }
  if (offsets.size() != indices.size()) return false;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (indices[i] < 0 || static_cast<size_t>(indices[i]) >= values->size()) return false;
    Vec3f& value = (*values)[static_cast<size_t>(indices[i])];
    value = value + offsets[i] * weight;
  }
  return true;
}

}  // namespace

void FinishBlendShape(BlendShape* shape) {
  shape->sub_shapes.push_back({.weight = 0, .is_null = true, .offsets = {}, .normal_offsets = {}});
  std::stable_sort(shape->sub_shapes.begin(), shape->sub_shapes.end(),
                   [](const SubShape& a, const SubShape& b) { return a.weight < b.weight; });
}

std::optional<std::vector<SubShapeWeight>> ComputeSubShapeWeights(
    std::span<const BlendShape> shapes, std::span<const float> weights) {
  if (shapes.size() != weights.size()) return std::nullopt;
  std::vector<SubShapeWeight> result;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<SubShape>& subs = shapes[i].sub_shapes;
    if (subs.size() < 2) continue;
    if (subs.size() == 2) {
      result.push_back({i, 1, weights[i]});
      continue;
    }
    const auto [lower, upper] = Around(subs, weights[i]);
    const float span = subs[upper].weight - subs[lower].weight;
    if (!(span > kEps)) continue;
    const float alpha = (weights[i] - subs[lower].weight) / span;
    if (!subs[lower].is_null && !IsClose(alpha, 1)) result.push_back({i, lower, 1 - alpha});
    if (!subs[upper].is_null && !IsClose(alpha, 0)) result.push_back({i, upper, alpha});
  }
  return result;
}

bool ApplyBlendShapes(std::span<const BlendShape> shapes, std::span<const SubShapeWeight> weights,
                      BlendTarget target, std::vector<Vec3f>* values) {
  const auto offsets_of = [&](const SubShape& s) -> const Array<Vec3f>& {
    return target == BlendTarget::kPoints ? s.offsets : s.normal_offsets;
  };
  const bool any = std::any_of(shapes.begin(), shapes.end(), [&](const BlendShape& shape) {
    return std::any_of(shape.sub_shapes.begin(), shape.sub_shapes.end(),
                       [&](const SubShape& s) { return !offsets_of(s).empty(); });
  });
  if (!any) return false;
  std::vector<Vec3f> moved = *values;
  for (const SubShapeWeight& w : weights) {
    const BlendShape& shape = shapes[w.shape];
    const Array<Vec3f>& offsets = offsets_of(shape.sub_shapes[w.sub_shape]);
    if (offsets.empty()) continue;
    if (!AddOffsets(offsets.span(), shape.point_indices.span(), w.weight, &moved)) return false;
  }
  *values = std::move(moved);
  return true;
}

}  // namespace stagedoor
