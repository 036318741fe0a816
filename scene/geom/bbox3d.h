#ifndef STAGEDOOR_SCENE_GEOM_BBOX3D_H_
#define STAGEDOOR_SCENE_GEOM_BBOX3D_H_

#include <span>

#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Range3d and BBox3d: axis-aligned boxes, and boxes with a transform. Correspond to OpenUSD's
// GfRange3d and GfBBox3d, and combine in the same way. Value types.

// Empty if a component of `min` is greater than that of `max`, as in a default range.
struct Range3d {
  Vec3d min = {kHuge, kHuge, kHuge};
  Vec3d max = {-kHuge, -kHuge, -kHuge};

  bool empty() const { return min[0] > max[0] || min[1] > max[1] || min[2] > max[2]; }
  // Grows to contain a point, or another range.
  void Extend(const Vec3d& point);
  void Extend(const Range3d& other);
  friend bool operator==(const Range3d&, const Range3d&) = default;

  static constexpr double kHuge = 3.40282346638528859812e+38;  // FLT_MAX, as in GfRange3d
};

// The smallest range that contains all points.
Range3d RangeOf(std::span<const Vec3f> points);

// A range in a space of its own; `matrix` transforms that space to the space of the box.
struct BBox3d {
  Range3d range;
  Matrix4d matrix = Matrix4d::Identity();

  bool empty() const { return range.empty(); }
  // Applies `m` after the box's own matrix.
  void Transform(const Matrix4d& m);
  double Volume() const;
  // The smallest axis-aligned range that contains the transformed box.
  Range3d AlignedRange() const;
  // A box that contains both, in the space of the one that gives the smaller volume.
  static BBox3d Combine(const BBox3d& a, const BBox3d& b);
  friend bool operator==(const BBox3d&, const BBox3d&) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_BBOX3D_H_
