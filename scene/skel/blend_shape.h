// Blend shapes: weights to shapes and in-betweens, and their offsets to points
// (UsdSkelBlendShapeQuery). Pure.
#ifndef STAGEDOOR_SCENE_SKEL_BLEND_SHAPE_H_
#define STAGEDOOR_SCENE_SKEL_BLEND_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/request_context.h"
#include "scene/skel/blend_kernels.h"
#include "scene/values/array.h"
#include "scene/values/linear_types.h"

namespace stagedoor {

// A shape at a weight: the full shape at one, an in-between elsewhere, nothing at zero.
struct SubShape {
  float weight = 1;
  bool is_null = false;
  Array<Vec3f> offsets;
  Array<Vec3f> normal_offsets;
};

struct BlendShape {
  // Whether there is such a prim, be it inactive.
  bool found = true;
  Array<int> point_indices;  // of the offsets, ascending; empty: all points in order
  // Ascending by weight, null and full shape among them; none: no shape.
  std::vector<SubShape> sub_shapes;
  // How many points there must be for the indices; set by FinishBlendShape.
  size_t points_needed = SIZE_MAX;
  // Where the indices of each block of points begin, and their number; set by FinishBlendShape,
  // empty where it does not pay.
  std::vector<uint32_t> block_begins;
};

// Offsets of a sub-shape, at the points of a shape: the sub-shape's own.
struct SubShapeWeight {
  size_t shape = 0;
  size_t sub_shape = 0;
  float weight = 0;
  // The shape that `sub_shape` is of.
  size_t owner = 0;
  friend bool operator==(const SubShapeWeight&, const SubShapeWeight&) = default;
};

// Sorts the sub-shapes of a shape, adds the null one, looks at the indices and puts them (and the
// offsets of as many) into ascending order. In-betweens must not weigh 0 or 1.
void FinishBlendShape(BlendShape* shape);

// The sub-shapes that take effect at these weights, one weight a shape: the two nearest of each,
// extrapolated beyond the ends. A shape without sub-shapes (of a target that is no blend shape)
// mistakes one of another shape for its own, as in OpenUSD. None where the number of weights is not
// that of the shapes, or there is no such other one.
std::optional<std::vector<SubShapeWeight>> ComputeSubShapeWeights(
    std::span<const BlendShape> shapes, std::span<const float> weights);

enum class BlendTarget { kPoints, kNormals };

// Values with weighted offsets added, worked out where they are needed. Borrows what it is made of;
// thread-safe to read.
class BlendedVectors {
 public:
  // None where no sub-shape of any shape has offsets, or offsets do not fit `values` in number, or
  // an index is out of range. `context`, which may be null, pays for many offsets: once it is done,
  // values are incomplete.
  static std::optional<BlendedVectors> Create(std::span<const BlendShape> shapes,
                                              std::span<const SubShapeWeight> weights,
                                              BlendTarget target, std::span<const Vec3f> values,
                                              RequestContext* context = nullptr);

  static constexpr size_t kBlock = 256;

  size_t size() const { return values_.size(); }
  size_t blocks() const { return (size() + kBlock - 1) / kBlock; }
  // The values of a block, kBlock of them but in the last one.
  void Fill(size_t block, WideVector* out) const;
  Array<Vec3f> ToArray() const;

 private:
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
