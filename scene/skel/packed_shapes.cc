#include "scene/skel/packed_shapes.h"

#include <climits>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

// A sub-shape that fits the points.
struct PackedSubShape {
  size_t number;
  const BlendShape* shape;
  std::span<const Vec3f> offsets;

  size_t PointOf(size_t offset) const {
    const Array<int>& indices = shape->point_indices;
    return indices.empty() ? offset : static_cast<size_t>(indices[offset]);
  }
};

bool FitsPoints(const BlendShape& shape, const SubShape& sub, size_t points) {
  if (shape.point_indices.empty()) return sub.offsets.size() == points;
  return sub.offsets.size() == shape.point_indices.size() && shape.points_needed <= points;
}

std::vector<PackedSubShape> SubShapesToPack(std::span<const BlendShape> shapes, size_t points) {
  std::vector<PackedSubShape> found;
  size_t number = 0;
  for (const BlendShape& shape : shapes) {
    for (const SubShape& sub : shape.sub_shapes) {
      if (!sub.offsets.empty() && FitsPoints(shape, sub, points)) {
        found.push_back({number, &shape, sub.offsets.span()});
      }
      ++number;
    }
  }
  return found;
}

}  // namespace

absl::StatusOr<PackedShapeTable> ComputePackedShapeTable(RequestContext& context,
                                                         std::span<const BlendShape> shapes,
                                                         size_t points) {
  const std::vector<PackedSubShape> subs = SubShapesToPack(shapes, points);
  size_t total = 0;
  for (const PackedSubShape& sub : subs) total += sub.offsets.size();
  if (total > size_t{INT_MAX} || points > size_t{INT_MAX}) {
    return absl::ResourceExhaustedError("there are too many offsets of blend shapes for a table");
  }
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(reserved.Grow(total * sizeof(Vec4f) + points * (sizeof(Vec2i) + sizeof(int)),
                                   "a table of blend shapes"));
  Pacer pacer(context);
  std::vector<int> next(points, 0);  // counts at first, then positions to write to
  for (const PackedSubShape& sub : subs) {
    for (size_t i = 0; i < sub.offsets.size(); ++i) {
      SD_RETURN_IF_ERROR(pacer.Step());
      ++next[sub.PointOf(i)];
    }
  }
  PackedShapeTable table;
  Vec2i* ranges;
  table.ranges = Array<Vec2i>::Uninitialized(points, &ranges);
  int end = 0;
  for (size_t i = 0; i < points; ++i) {
    const int begin = std::exchange(end, end + next[i]);
    ranges[i] = {begin, end};
    next[i] = begin;
  }
  Vec4f* offsets;
  table.offsets = Array<Vec4f>::Uninitialized(total, &offsets);
  for (const PackedSubShape& sub : subs) {
    const auto number = static_cast<float>(sub.number);
    for (size_t i = 0; i < sub.offsets.size(); ++i) {
      SD_RETURN_IF_ERROR(pacer.Step());
      const Vec3f& offset = sub.offsets[i];
      const auto at = static_cast<size_t>(next[sub.PointOf(i)]++);
      offsets[at] = {offset[0], offset[1], offset[2], number};
    }
  }
  return table;
}

}  // namespace stagedoor
