#include "scene/skel/blend_shape.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "scene/skel/vector_array.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// The tolerance of OpenUSD for weights.
constexpr float kEps = 1e-6f;

bool IsClose(float a, float b) { return std::abs(a - b) < kEps; }

// The indices of the two sub-shapes around `weight`, or of the outermost two beyond the ends:
// in-betweens are extrapolated without bounds.
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

template <typename T>
void Permute(const std::vector<size_t>& order, Array<T>* items) {
  if (items->size() != order.size()) return;  // never applied; see Fits
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const size_t i : order) sorted.push_back((*items)[i]);
  *items = Array<T>::FromVector(std::move(sorted));
}

// Sorted indices let each block of points find its offsets by search. Stable, so that offsets at a
// repeated index are added in the authored order.
void SortPoints(BlendShape* shape) {
  std::vector<size_t> order(shape->point_indices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return shape->point_indices[a] < shape->point_indices[b];
  });
  for (SubShape& sub : shape->sub_shapes) {
    Permute(order, &sub.offsets);
    Permute(order, &sub.normal_offsets);
  }
  Permute(order, &shape->point_indices);
}

// The position of the first index that is in the block or after it.
size_t SearchBlock(const Array<int>& indices, size_t block) {
  const auto before = [](int index, size_t first) { return static_cast<size_t>(index) < first; };
  const auto at =
      std::lower_bound(indices.begin(), indices.end(), block * BlendedVectors::kBlock, before);
  return static_cast<size_t>(at - indices.begin());
}

// Stores the results of SearchBlock, unless the indices are few and so far apart that the table
// would be larger than they are.
void FindBlocks(BlendShape* shape) {
  const Array<int>& indices = shape->point_indices;
  shape->block_begins.clear();
  if (indices.empty() || indices[0] < 0) return;
  const size_t blocks =
      static_cast<size_t>(indices[indices.size() - 1]) / BlendedVectors::kBlock + 1;
  if (blocks > indices.size() + 64) return;
  for (size_t block = 0; block <= blocks; ++block) {
    shape->block_begins.push_back(static_cast<uint32_t>(SearchBlock(indices, block)));
  }
}

// Finds what OpenUSD takes for the full shape of a shape without sub-shapes. It keeps the
// sub-shapes of all shapes in one array, and takes the second one from the shape's position on (for
// an inactive prim), or from the start of the array (for a target that is not a blend shape). That
// is the second sub-shape of the next shape that has any.
class MistakenSubShapes {
 public:
  explicit MistakenSubShapes(std::span<const BlendShape> shapes) : shapes_(shapes) {}

  // The owner of the sub-shape that `shape` takes; none if there is none.
  std::optional<size_t> OwnerFor(size_t shape) {
    if (next_.empty()) {
      next_.assign(shapes_.size() + 1, shapes_.size());
      for (size_t i = shapes_.size(); i-- > 0;) {
        next_[i] = shapes_[i].sub_shapes.empty() ? next_[i + 1] : i;
      }
    }
    const size_t owner = next_[shapes_[shape].found ? shape : 0];
    return owner < shapes_.size() ? std::optional(owner) : std::nullopt;
  }

 private:
  std::span<const BlendShape> shapes_;
  std::vector<size_t> next_;  // by shape, the first one from it on that has sub-shapes
};

size_t FirstInBlock(const BlendShape& shape, size_t block) {
  const std::vector<uint32_t>& begins = shape.block_begins;
  if (begins.empty()) return SearchBlock(shape.point_indices, block);
  return begins[std::min(block, begins.size() - 1)];
}

}  // namespace

void FinishBlendShape(BlendShape* shape) {
  // Checked once here, so that Fill need not check indices at every time. A negative index can
  // never be satisfied.
  shape->points_needed = 0;
  for (const int index : shape->point_indices) {
    const size_t needed = index < 0 ? SIZE_MAX : static_cast<size_t>(index) + 1;
    shape->points_needed = std::max(shape->points_needed, needed);
  }
  if (!std::is_sorted(shape->point_indices.begin(), shape->point_indices.end())) SortPoints(shape);
  FindBlocks(shape);
  shape->sub_shapes.push_back(
      {.weight = 0, .is_null = true, .inbetween = {}, .offsets = {}, .normal_offsets = {}});
  std::stable_sort(shape->sub_shapes.begin(), shape->sub_shapes.end(),
                   [](const SubShape& a, const SubShape& b) { return a.weight < b.weight; });
}

std::optional<std::vector<SubShapeWeight>> ComputeSubShapeWeights(
    std::span<const BlendShape> shapes, std::span<const float> weights) {
  if (shapes.size() != weights.size()) return std::nullopt;
  std::vector<SubShapeWeight> result;
  MistakenSubShapes mistaken(shapes);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<SubShape>& subs = shapes[i].sub_shapes;
    if (subs.empty()) {
      const auto owner = mistaken.OwnerFor(i);
      if (!owner) return std::nullopt;
      result.push_back({i, 1, weights[i], *owner});
      continue;
    }
    // Without in-betweens the offsets are scaled by the weight, whatever its range.
    if (subs.size() == 2) {
      result.push_back({i, 1, weights[i], i});
      continue;
    }
    const auto [lower, upper] = Around(subs, weights[i]);
    const float span = subs[upper].weight - subs[lower].weight;
    // Between two in-betweens of the same weight, which is an authoring error, there is nothing to
    // interpolate.
    if (!(span > kEps)) continue;
    const float alpha = (weights[i] - subs[lower].weight) / span;
    if (!subs[lower].is_null && !IsClose(alpha, 1)) result.push_back({i, lower, 1 - alpha, i});
    if (!subs[upper].is_null && !IsClose(alpha, 0)) result.push_back({i, upper, alpha, i});
  }
  return result;
}

std::optional<BlendedVectors> BlendedVectors::Create(std::span<const BlendShape> shapes,
                                                     std::span<const SubShapeWeight> weights,
                                                     BlendTarget target,
                                                     std::span<const Vec3f> values,
                                                     RequestContext* context) {
  const auto offsets_of = [&](const SubShape& s) -> const Array<Vec3f>& {
    return target == BlendTarget::kPoints ? s.offsets : s.normal_offsets;
  };
  // If there is nothing to apply, the caller keeps its array and copies nothing.
  const bool any = std::any_of(shapes.begin(), shapes.end(), [&](const BlendShape& shape) {
    return std::any_of(shape.sub_shapes.begin(), shape.sub_shapes.end(),
                       [&](const SubShape& s) { return !offsets_of(s).empty(); });
  });
  if (!any) return std::nullopt;
  BlendedVectors blended(values, context);
  for (const SubShapeWeight& w : weights) {
    const BlendShape& shape = shapes[w.shape];
    const Array<Vec3f>& offsets = offsets_of(shapes[w.owner].sub_shapes[w.sub_shape]);
    if (offsets.empty() || std::abs(w.weight) < kEps) continue;
    if (!Fits(shape, offsets, values.size())) return std::nullopt;
    blended.parts_.push_back({&shape, offsets.span(), w.weight});
  }
  return blended;
}

void BlendedVectors::Fill(size_t block, WideVector* out) const {
  const size_t first = block * kBlock;
  const size_t count = std::min(kBlock, size() - first);
  WidenVectors(values_.data() + first, count, out);
  // A file may let any number of shapes move one point any number of times.
  constexpr size_t kOffsetsPerCheck = 1 << 16;
  size_t added = 0;
  for (const Part& part : parts_) {
    if (added > kOffsetsPerCheck && context_) {
      if (!context_->Spend(added / 16).ok()) return;
      added = 0;
    }
    const Array<int>& indices = part.shape->point_indices;
    if (indices.empty()) {
      added += count;
      AddWeighted(part.offsets.data() + first, count, part.weight, out);
      continue;
    }
    const size_t begin = FirstInBlock(*part.shape, block);
    const size_t end = FirstInBlock(*part.shape, block + 1);
    added += end - begin;
    AddWeightedAt(part.offsets.data() + begin, indices.data() + begin, end - begin, part.weight,
                  static_cast<int>(first), out);
  }
}

Array<Vec3f> BlendedVectors::ToArray() const {
  Vec3f* out;
  Array<Vec3f> all = NewVectorArray(size(), &out);
  WideVector wide[kBlock];
  for (size_t i = 0; i < blocks(); ++i) {
    Fill(i, wide);
    NarrowVectors(wide, std::min(kBlock, size() - i * kBlock), out + i * kBlock);
  }
  return all;
}

}  // namespace stagedoor
