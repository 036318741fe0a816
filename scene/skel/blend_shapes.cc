#include "scene/skel/blend_shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "scene/skel/blend_kernels.h"
#include "scene/skel/vector_array.h"

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

bool Fits(const BlendShape& shape, const Array<Vec3f>& offsets, size_t values) {
  if (shape.point_indices.empty()) return offsets.size() == values;
  return offsets.size() == shape.point_indices.size() && shape.points_needed <= values;
}

}  // namespace

void FinishBlendShape(BlendShape* shape) {
  shape->points_needed = 0;
  for (const int index : shape->point_indices) {
    const size_t needed = index < 0 ? SIZE_MAX : static_cast<size_t>(index) + 1;
    shape->points_needed = std::max(shape->points_needed, needed);
  }
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

std::optional<Array<Vec3f>> ApplyBlendShapes(std::span<const BlendShape> shapes,
                                             std::span<const SubShapeWeight> weights,
                                             BlendTarget target, std::span<const Vec3f> values) {
  const auto offsets_of = [&](const SubShape& s) -> const Array<Vec3f>& {
    return target == BlendTarget::kPoints ? s.offsets : s.normal_offsets;
  };
  const bool any = std::any_of(shapes.begin(), shapes.end(), [&](const BlendShape& shape) {
    return std::any_of(shape.sub_shapes.begin(), shape.sub_shapes.end(),
                       [&](const SubShape& s) { return !offsets_of(s).empty(); });
  });
  if (!any) return std::nullopt;
  Vec3f* out;
  Array<Vec3f> moved = NewVectorArray(values.size(), &out);
  std::copy(values.begin(), values.end(), out);
  // Shapes of all points first, then those of some, in a form that is quick to scatter to.
  std::vector<std::pair<const BlendShape*, const SubShapeWeight*>> sparse;
  for (const SubShapeWeight& w : weights) {
    const BlendShape& shape = shapes[w.shape];
    const Array<Vec3f>& offsets = offsets_of(shape.sub_shapes[w.sub_shape]);
    if (offsets.empty() || std::abs(w.weight) < kEps) continue;
    if (!Fits(shape, offsets, values.size())) return std::nullopt;
    if (shape.point_indices.empty()) {
      AddWeighted(offsets.data(), offsets.size(), w.weight, out);
    } else {
      sparse.emplace_back(&shape, &w);
    }
  }
  if (sparse.empty()) return moved;
  const auto wide = std::make_unique_for_overwrite<WideVector[]>(values.size());
  WidenVectors(out, values.size(), wide.get());
  for (const auto& [shape, w] : sparse) {
    const Array<Vec3f>& offsets = offsets_of(shape->sub_shapes[w->sub_shape]);
    AddWeightedAt(offsets.data(), shape->point_indices.data(), offsets.size(), w->weight,
                  wide.get());
  }
  NarrowVectors(wide.get(), values.size(), out);
  return moved;
}

}  // namespace stagedoor
