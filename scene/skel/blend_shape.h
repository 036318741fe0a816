#ifndef STAGEDOOR_SCENE_SKEL_BLEND_SHAPE_H_
#define STAGEDOOR_SCENE_SKEL_BLEND_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/skel/blend_kernels.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

// A shape at one weight: the full shape at 1, the null shape at 0, an in-between at another weight.
// Offsets are in the space of the points.
struct SubShape {
  float weight = 1;
  bool is_null = false;
  Token inbetween;  // the name of the attribute; empty for the full and the null shape
  Array<Vec3f> offsets;
  Array<Vec3f> normal_offsets;
};

// Blend shapes: which shapes and in-betweens take effect at given weights, and how their offsets
// move points ("Blend Shape Schema" in the UsdSkel schema documentation). Corresponds to OpenUSD's
// UsdSkelBlendShapeQuery. Pure functions.
struct BlendShape {
  // Whether the target is a BlendShape prim, even if inactive.
  bool found = true;
  Array<int> point_indices;  // of the offsets, ascending; if empty, one offset per point
  // Ascending by weight, with the null and the full shape; empty if there is no shape.
  std::vector<SubShape> sub_shapes;
  // The number of points that the indices require; set by FinishBlendShape.
  size_t points_needed = SIZE_MAX;
  // The position of the first index of each block of points, and the number of indices; set by
  // FinishBlendShape. Empty if it is not worth its memory.
  std::vector<uint32_t> block_begins;
};

// A sub-shape to apply with a weight: the offsets of a sub-shape of `owner`, at the points of
// `shape`. These are the same shape, except in the case that ComputeSubShapeWeights describes.
struct SubShapeWeight {
  size_t shape = 0;
  size_t sub_shape = 0;
  float weight = 0;
  // The shape to which `sub_shape` belongs.
  size_t owner = 0;
  friend bool operator==(const SubShapeWeight&, const SubShapeWeight&) = default;
};

// Completes a shape that was read: adds the null sub-shape, sorts the sub-shapes by weight, and
// sorts the indices with the offsets of the same number. In-betweens must not have the weight 0 or
// 1.
void FinishBlendShape(BlendShape* shape);

// The sub-shapes that take effect at `weights`, one weight per shape: of each shape the two that
// are nearest to the weight, extrapolated beyond the ends. A shape without sub-shapes (of a target
// that is not a blend shape) takes one of another shape instead, as OpenUSD mistakenly does. None
// if the numbers of shapes and weights differ, or the other shape does not exist. Corresponds to
// UsdSkelBlendShapeQuery::ComputeSubShapeWeights.
std::optional<std::vector<SubShapeWeight>> ComputeSubShapeWeights(
    std::span<const BlendShape> shapes, std::span<const float> weights);

enum class BlendTarget { kPoints, kNormals };

// Points (or normals) with weighted offsets added, computed block by block when needed. Corresponds
// to UsdSkelBlendShapeQuery::ComputeDeformedPoints and ComputeDeformedNormals. Borrows its inputs;
// thread-safe to read.
class BlendedVectors {
 public:
  // None if no sub-shape has offsets, the number of offsets does not match `values`, or an index is
  // out of range. `context` is charged for many offsets and may be null; once it is done, values
  // are incomplete.
  static std::optional<BlendedVectors> Create(std::span<const BlendShape> shapes,
                                              std::span<const SubShapeWeight> weights,
                                              BlendTarget target, std::span<const Vec3f> values,
                                              RequestContext* context = nullptr);

  static constexpr size_t kBlock = 256;

  size_t size() const { return values_.size(); }
  size_t blocks() const { return (size() + kBlock - 1) / kBlock; }
  // Computes the values of a block: kBlock of them, fewer in the last one.
  void Fill(size_t block, WideVector* out) const;
  Array<Vec3f> ToArray() const;

 private:
  // Offsets to add with a weight at the points of a shape.
  struct Part {
    const BlendShape* shape;
    std::span<const Vec3f> offsets;
    float weight;
  };
  BlendedVectors(std::span<const Vec3f> values, RequestContext* context)
      : context_(context), values_(values) {}

  RequestContext* context_;
  std::span<const Vec3f> values_;
  std::vector<Part> parts_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_BLEND_SHAPE_H_
