#ifndef STAGEDOOR_SCENE_GEOM_EXTENTS_H_
#define STAGEDOOR_SCENE_GEOM_EXTENTS_H_

#include <optional>
#include <span>

#include "scene/geom/bbox3d.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Extents of the geometric primitives in their own space, as OpenUSD computes them if no extent is
// authored (ComputeExtent of UsdGeomSphere, UsdGeomCapsule …). Pure functions.

enum class Axis : unsigned char { kX, kY, kZ };

// Rounds each component to the nearest float.
Vec3d RoundedToFloat(const Vec3d& v);

// Rounds all components to the nearest float, because the attribute `extent` stores floats.
Range3d RoundedExtent(const Range3d& range);

Range3d SphereExtent(double radius);
Range3d CubeExtent(double size);
// For cones too. For tapered cylinders, `radius` is the larger one.
Range3d CylinderExtent(double height, double radius, Axis axis);
Range3d CapsuleExtent(double height, double radius, Axis axis);
// The caps are spherical and tangent to the tapered side.
Range3d TaperedCapsuleExtent(double height, double radius_top, double radius_bottom, Axis axis);
// `axis` is the normal.
Range3d PlaneExtent(double width, double length, Axis axis);

// Points with one width each; empty if the arrays differ in length.
std::optional<Range3d> PointsExtent(std::span<const Vec3f> points, std::span<const float> widths);
// The range of the points, grown on all sides by half of the largest width.
Range3d CurvesExtent(std::span<const Vec3f> points, std::span<const float> widths);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_EXTENTS_H_
