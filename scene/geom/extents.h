// Extents of the geometric primitives in their own space, as OpenUSD computes them where none are
// authored. Pure functions.
#ifndef STAGEDOOR_SCENE_GEOM_EXTENTS_H_
#define STAGEDOOR_SCENE_GEOM_EXTENTS_H_

#include <optional>
#include <span>

#include "scene/geom/bbox.h"

namespace stagedoor {

enum class Axis : unsigned char { kX, kY, kZ };

// Each number as the nearest float.
Vec3d RoundedToFloat(const Vec3d& v);

// Extents are stored as floats: the nearest ones.
Range3d RoundedExtent(const Range3d& range);

Range3d SphereExtent(double radius);
Range3d CubeExtent(double size);
// Cones too; of tapered cylinders the larger radius.
Range3d CylinderExtent(double height, double radius, Axis axis);
Range3d CapsuleExtent(double height, double radius, Axis axis);
// With caps that touch the tapered side smoothly.
Range3d TaperedCapsuleExtent(double height, double radius_top, double radius_bottom, Axis axis);
// `axis` is the normal.
Range3d PlaneExtent(double width, double length, Axis axis);

// Points with a width each; none when the numbers differ.
std::optional<Range3d> PointsExtent(std::span<const Vec3f> points, std::span<const float> widths);
// Grown by half of the largest width.
Range3d CurvesExtent(std::span<const Vec3f> points, std::span<const float> widths);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_EXTENTS_H_
