// Range3d and BBox3d: axis-aligned ranges, and ranges with a transform, combined as OpenUSD's
// GfBBox3d.
#ifndef STAGEDOOR_SCENE_GEOM_BBOX_H_
#define STAGEDOOR_SCENE_GEOM_BBOX_H_

#include <span>

#include "scene/values/linear.h"

namespace stagedoor {

// Empty when some min is above its max; starts empty.
struct Range3d {
  Vec3d min = {kHuge, kHuge, kHuge};
  Vec3d max = {-kHuge, -kHuge, -kHuge};

  bool empty() const { return min[0] > max[0] || min[1] > max[1] || min[2] > max[2]; }
  void Extend(const Vec3d& point);
  void Extend(const Range3d& other);
  friend bool operator==(const Range3d&, const Range3d&) = default;

  static constexpr double kHuge = 3.40282346638528859812e+38;  // FLT_MAX, as in files
};

Range3d RangeOf(std::span<const Vec3f> points);

// A range in a space of its own; `matrix` leads from it to where the box lives.
struct BBox3d {
  Range3d range;
  Matrix4d matrix = Matrix4d::Identity();

  bool empty() const { return range.empty(); }
  void Transform(const Matrix4d& m);
  double Volume() const;
  // The smallest axis-aligned range that holds the transformed box.
  Range3d AlignedRange() const;
  // Both boxes in the space of one of them, whichever gives the smaller box.
  static BBox3d Combine(const BBox3d& a, const BBox3d& b);
  friend bool operator==(const BBox3d&, const BBox3d&) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_BBOX_H_
