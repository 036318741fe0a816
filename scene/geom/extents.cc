#include "scene/geom/extents.h"

#include <algorithm>
#include <cmath>

#include "scene/values/vec.h"

namespace stagedoor {
namespace {

Range3d Symmetric(const Vec3d& half) { return {{-half[0], -half[1], -half[2]}, half}; }

Vec3d AlongAxis(Axis axis, double along, double across) {
  Vec3d v{across, across, across};
  v[static_cast<size_t>(axis)] = along;
  return v;
}

}  // namespace

Vec3d RoundedToFloat(const Vec3d& v) {
  Vec3d result;
  for (int i = 0; i < 3; ++i) {
    // Volatile, because g++ 12 vectorizes conversions from double to float and back, and then omits
    // some of them.
    const volatile float rounded = static_cast<float>(v[i]);
    result[i] = rounded;
  }
  return result;
}

Range3d RoundedExtent(const Range3d& range) {
  return {RoundedToFloat(range.min), RoundedToFloat(range.max)};
}

Range3d SphereExtent(double radius) { return RoundedExtent(Symmetric({radius, radius, radius})); }

Range3d CubeExtent(double size) {
  return RoundedExtent(Symmetric({size * 0.5, size * 0.5, size * 0.5}));
}

Range3d CylinderExtent(double height, double radius, Axis axis) {
  return RoundedExtent(Symmetric(AlongAxis(axis, height * 0.5, radius)));
}

Range3d CapsuleExtent(double height, double radius, Axis axis) {
  return RoundedExtent(Symmetric(AlongAxis(axis, height * 0.5 + radius, radius)));
}

Range3d TaperedCapsuleExtent(double height, double radius_top, double radius_bottom, Axis axis) {
  // The caps belong to spheres that are tangent to the tapered side at its ends.
  // Without height there is no side, and the caps are two half spheres.
  const double slope = height == 0 ? 0 : (radius_bottom - radius_top) / height;
  const double stretch = std::sqrt(1 + slope * slope);
  const double top = height * 0.5 - slope * radius_top + radius_top * stretch;
  const double bottom = -height * 0.5 - slope * radius_bottom - radius_bottom * stretch;
  const double across = std::max(radius_top, radius_bottom) * stretch;
  return RoundedExtent({AlongAxis(axis, bottom, -across), AlongAxis(axis, top, across)});
}

Range3d PlaneExtent(double width, double length, Axis axis) {
  const double w = width * 0.5;
  const double l = length * 0.5;
  switch (axis) {
    case Axis::kX:
      return RoundedExtent(Symmetric({0, l, w}));
    case Axis::kY:
      return RoundedExtent(Symmetric({w, 0, l}));
    case Axis::kZ:
      break;
  }
  return RoundedExtent(Symmetric({w, l, 0}));
}

std::optional<Range3d> PointsExtent(std::span<const Vec3f> points, std::span<const float> widths) {
  if (points.size() != widths.size()) return std::nullopt;
  Range3d range;
  for (size_t i = 0; i < points.size(); ++i) {
    const float half = widths[i] * 0.5f;  // in single precision, as in OpenUSD
    const Vec3f& p = points[i];
    range.Extend(Vec3d{p[0] - half, p[1] - half, p[2] - half});
    range.Extend(Vec3d{p[0] + half, p[1] + half, p[2] + half});
  }
  return range;
}

Range3d CurvesExtent(std::span<const Vec3f> points, std::span<const float> widths) {
  Range3d range = RangeOf(points);
  if (widths.empty()) return range;
  const float half = *std::max_element(widths.begin(), widths.end()) * 0.5f;
  for (int i = 0; i < 3; ++i) {
    range.min[i] = static_cast<float>(range.min[i]) - half;
    range.max[i] = static_cast<float>(range.max[i]) + half;
  }
  return range;
}

}  // namespace stagedoor
