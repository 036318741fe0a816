#include "scene/lod/view_volume.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "scene/values/matrix_math.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

// GfBBox3d takes the inverse of matrices with smaller determinants to be the identity.
constexpr double kMinBoxDeterminant = 1e-13;

// The points of an outline: the corners of a box, and where its edges cross the near plane.
struct Outline {
  std::array<Vec2d, 8 + 12> points;
  size_t count = 0;

  void Add(const Vec3d& point, bool orthographic) {
    const double scale = orthographic ? 1 : -1 / point[2];
    points[count++] = {point[0] * scale, point[1] * scale};
  }
};

double Turn(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The area of the convex hull of points, whose coordinates must be finite.
double HullArea(Outline& outline) {
  const auto begin = outline.points.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(outline.count);
  std::sort(begin, end, [](const Vec2d& a, const Vec2d& b) {
    return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
  });
  std::array<Vec2d, 2 * (8 + 12)> hull;
  size_t size = 0;
  size_t fixed = 1;  // points that the current chain keeps
  const auto add = [&](const Vec2d& point) {
    while (size > fixed && Turn(hull[size - 2], hull[size - 1], point) <= 0) --size;
    hull[size++] = point;
  };
  for (auto it = begin; it != end; ++it) add(*it);
  fixed = size;
  for (auto it = end; it != begin;) add(*--it);
  double area = 0;
  for (size_t i = 0; i + 1 < size; ++i) {
    area += hull[i][0] * hull[i + 1][1] - hull[i + 1][0] * hull[i][1];
  }
  return area / 2;
}

// The corners of a box; bit i of the index says whether coordinate i is the maximum.
std::array<Vec3d, 8> CornersOf(const Range3d& box) {
  std::array<Vec3d, 8> corners;
  for (size_t i = 0; i < corners.size(); ++i) {
    for (size_t axis = 0; axis < 3; ++axis) {
      corners[i][axis] = (i >> axis & 1) != 0 ? box.max[axis] : box.min[axis];
    }
  }
  return corners;
}

// Adds what of a box, in camera space, is in front of the near plane.
void AddVisible(const std::array<Vec3d, 8>& corners, const Frustum& frustum, Outline* outline) {
  std::array<double, 8> beyond;  // the near plane
  for (size_t i = 0; i < corners.size(); ++i) {
    beyond[i] = -corners[i][2] - frustum.near;
    if (beyond[i] >= 0) outline->Add(corners[i], frustum.orthographic);
  }
  for (size_t i = 0; i < corners.size(); ++i) {
    for (const size_t bit : {1, 2, 4}) {
      const size_t other = i | bit;
      if (other == i || (beyond[i] < 0) == (beyond[other] < 0)) continue;
      const double share = beyond[i] / (beyond[i] - beyond[other]);
      outline->Add(corners[i] + (corners[other] - corners[i]) * share, frustum.orthographic);
    }
  }
}

}  // namespace

ViewVolume::ViewVolume(const Frustum& frustum, const Matrix4d& view_matrix)
    : frustum_(frustum), view_matrix_(view_matrix) {
  const Matrix4d to_world = Inverse(view_matrix);
  position_ = ExtractTranslation(to_world);
  const auto plane = [&](const Vec3d& normal, const Vec3d& point) {
    const Vec3d direction = Normalized(TransformDir(normal, to_world));
    return Plane{direction, Dot(direction, Transform(point, to_world))};
  };
  const Vec2d min = frustum.min;
  const Vec2d max = frustum.max;
  // The normals point inward if the window is not flipped. Nothing is inside if one side is.
  const double width = max[0] >= min[0] ? 1 : -1;
  const double height = max[1] >= min[1] ? 1 : -1;
  if (frustum.orthographic) {
    planes_ = {plane({height, 0, 0}, {min[0], 0, 0}), plane({-height, 0, 0}, {max[0], 0, 0}),
               plane({0, width, 0}, {0, min[1], 0}), plane({0, -width, 0}, {0, max[1], 0})};
  } else {
    planes_ = {plane({height, 0, min[0] * height}, {0, 0, 0}),
               plane({-height, 0, -max[0] * height}, {0, 0, 0}),
               plane({0, width, min[1] * width}, {0, 0, 0}),
               plane({0, -width, -max[1] * width}, {0, 0, 0})};
  }
  planes_[4] = plane({0, 0, -1}, {0, 0, -frustum.near});
  planes_[5] = plane({0, 0, 1}, {0, 0, -frustum.far});
}

double ViewVolume::WindowArea() const {
  return (frustum_.max[0] - frustum_.min[0]) * (frustum_.max[1] - frustum_.min[1]);
}

double ViewVolume::SphereSize(const Range3d& box, const Matrix4d& local_to_world) const {
  if (box.empty()) return 0;
  const Vec3d center = Transform((box.min + box.max) * 0.5, local_to_world);
  const double radius =
      Length(Transform(box.max, local_to_world) - Transform(box.min, local_to_world)) / 2;
  for (const Plane& plane : planes_) {
    if (Dot(plane.normal, center) - plane.distance < -radius) return 0;
  }
  const double distance = frustum_.orthographic ? 1 : Length(center - position_);
  const double size = std::numbers::pi * radius * radius / (distance * distance) / WindowArea();
  return std::isinf(size) ? std::numeric_limits<double>::max() : size;
}

bool ViewVolume::Misses(const Corners& corners) const {
  return std::any_of(planes_.begin(), planes_.end(), [&](const Plane& plane) {
    return std::none_of(corners.begin(), corners.end(), [&](const Vec3d& corner) {
      return Dot(plane.normal, corner) >= plane.distance;
    });
  });
}

double ViewVolume::ExtentSize(const Range3d& box, const Matrix4d& local_to_world) const {
  if (box.empty()) return 0;
  Corners corners = CornersOf(box);
  const bool degenerate = !(std::fabs(Determinant(local_to_world)) > kMinBoxDeterminant);
  if (degenerate && Misses(corners)) return 0;
  for (Vec3d& corner : corners) corner = Transform(corner, local_to_world);
  if (!degenerate && Misses(corners)) return 0;
  for (Vec3d& corner : corners) corner = Transform(corner, view_matrix_);
  Outline outline;
  AddVisible(corners, frustum_, &outline);
  for (size_t i = 0; i < outline.count; ++i) {
    if (!std::isfinite(outline.points[i][0]) || !std::isfinite(outline.points[i][1])) return 0;
  }
  const double area = WindowArea();
  return outline.count < 3 || area == 0 ? 0 : HullArea(outline) / area;
}

}  // namespace stagedoor
