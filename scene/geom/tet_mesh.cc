#include "scene/geom/tet_mesh.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/values/array.h"

namespace stagedoor {
namespace {

bool IsLess(const Vec3i& a, const Vec3i& b) {
  return std::lexicographical_compare(std::begin(a.v), std::end(a.v), std::begin(b.v),
                                      std::end(b.v));
}

// The corners of the sides of a tetrahedron, whose normals point outwards.
constexpr size_t kSides[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// A side of a tetrahedron. Those with the same key are the same triangle.
struct Side {
  Vec3i key;  // the sorted vertices
  Vec3i face;
};

Side SideOf(const Vec4i& tet, size_t a, size_t b, size_t c) {
  Side side{{tet[a], tet[b], tet[c]}, {tet[a], tet[b], tet[c]}};
  std::sort(std::begin(side.key.v), std::end(side.key.v));
  return side;
}

// Moves the faces of the sides that are there once to the result.
absl::Status TakeSingleSides(const std::vector<Side>& sides, Pacer& pacer, SurfaceFaces* out) {
  for (size_t i = 0; i < sides.size();) {
    size_t end = i + 1;
    while (end < sides.size() && sides[end].key == sides[i].key) ++end;
    SD_RETURN_IF_ERROR(pacer.Step(static_cast<int64_t>(end - i)));
    if (end == i + 1) {
      if (out->faces.size() == out->faces.capacity()) {
        const size_t more = std::max<size_t>(64, out->faces.size());
        SD_RETURN_IF_ERROR(out->reserved.Grow(more * sizeof(Vec3i), "surface faces"));
        out->faces.reserve(out->faces.size() + more);
      }
      out->faces.push_back(sides[i].face);
    }
    i = end;
  }
  return absl::OkStatus();
}

// The distance of a point from the plane of a side, times twice its area; positive in front of it.
float SignedDistance(const Vec3f& a, const Vec3f& b, const Vec3f& c, const Vec3f& point) {
  const float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
  const float vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
  const float px = point[0] - a[0], py = point[1] - a[1], pz = point[2] - a[2];
  return (uy * vz - uz * vy) * px + (uz * vx - ux * vz) * py + (ux * vy - uy * vx) * pz;
}

// Whether the center is in front of a side, in the precision and order of operations of OpenUSD,
// which matter for tetrahedra that are flat. `sign` is -1 if normals point inwards.
bool IsInverted(const Vec3f corners[4], float sign) {
  Vec3f center;
  for (size_t i = 0; i < 3; ++i) {
    center[i] = (corners[0][i] + corners[1][i] + corners[2][i] + corners[3][i]) * 0.25f;
  }
  return std::any_of(std::begin(kSides), std::end(kSides), [&](const size_t side[3]) {
    return sign * SignedDistance(corners[side[0]], corners[side[1]], corners[side[2]], center) > 0;
  });
}

bool AllExist(const Vec4i& tet, size_t points) {
  return std::all_of(std::begin(tet.v), std::end(tet.v),
                     [&](int v) { return v >= 0 && static_cast<size_t>(v) < points; });
}

}  // namespace

absl::StatusOr<SurfaceFaces> ComputeSurfaceFaces(RequestContext& context, const Prim& tet_mesh,
                                                 TimeCode time) {
  const Array<Vec4i> tets = AttributeArray<Vec4i>(context, tet_mesh, Geom().tetVertexIndices, time);
  SurfaceFaces found{{}, Reservation(context)};
  Reservation scratch(context);
  SD_RETURN_IF_ERROR(scratch.Grow(tets.size() * 4 * sizeof(Side), "the sides of tetrahedra"));
  std::vector<Side> sides;
  sides.reserve(tets.size() * 4);
  Pacer pacer(context);
  for (const Vec4i& tet : tets) {
    SD_RETURN_IF_ERROR(pacer.Step(4));
    for (const auto& side : kSides) sides.push_back(SideOf(tet, side[0], side[1], side[2]));
  }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return IsLess(a.key, b.key); });
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(TakeSingleSides(sides, pacer, &found));
  std::sort(found.faces.begin(), found.faces.end(), IsLess);
  SD_RETURN_IF_ERROR(context.Check());
  return found;
}

absl::StatusOr<InvertedElements> FindInvertedElements(RequestContext& context, const Prim& tet_mesh,
                                                      TimeCode time) {
  InvertedElements found{{}, Reservation(context)};
  const Array<Vec3f> points = AttributeArray<Vec3f>(context, tet_mesh, Geom().points, time);
  const Array<Vec4i> tets = AttributeArray<Vec4i>(context, tet_mesh, Geom().tetVertexIndices, time);
  SD_RETURN_IF_ERROR(context.Check());
  if (points.size() < 4) return found;
  SD_RETURN_IF_ERROR(found.reserved.Grow(tets.size() * sizeof(int), "inverted elements"));
  const auto orientation =
      AttributeValueAs<Token>(context, tet_mesh, Geom().orientation, TimeCode::Default());
  const float sign = orientation == Geom().leftHanded ? -1.0f : 1.0f;
  found.elements.reserve(tets.size());
  Pacer pacer(context);
  for (size_t i = 0; i < tets.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Vec4i& tet = tets[i];
    if (!AllExist(tet, points.size())) continue;
    Vec3f corners[4];
    for (size_t c = 0; c < 4; ++c) corners[c] = points[static_cast<size_t>(tet[c])];
    if (IsInverted(corners, sign)) found.elements.push_back(static_cast<int>(i));
  }
  return found;
}

absl::Status ValidateTetMeshTopology(RequestContext& context, const Prim& tet_mesh, TimeCode time) {
  const size_t points = AttributeArray<Vec3f>(context, tet_mesh, Geom().points, time).size();
  const Array<Vec4i> tets = AttributeArray<Vec4i>(context, tet_mesh, Geom().tetVertexIndices, time);
  SD_RETURN_IF_ERROR(context.Check());
  Pacer pacer(context);
  for (size_t i = 0; i < tets.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (AllExist(tets[i], points)) continue;
    return FailedPreconditionError("element ", i, " of tetVertexIndices is (", tets[i][0], ", ",
                                   tets[i][1], ", ", tets[i][2], ", ", tets[i][3],
                                   "), but the number of points is ", points);
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
