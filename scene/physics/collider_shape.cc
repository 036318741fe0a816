#include "scene/physics/collider_shape.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/physics/physics_tokens.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr double kPi = std::numbers::pi;

// A part of a solid of revolution.
struct RevolvedPart {
  double volume;
  double centroid;    // along the axis
  double axial;       // inertia about the axis
  double transverse;  // about an axis across it, through the centroid
};

// Its base is at `from`, its top `height` above.
RevolvedPart FrustumPart(double from, double height, double base, double top) {
  const double a = base, b = top;
  const double squares = a * a + a * b + b * b;
  if (!(squares * height > 0)) return {0, from, 0, 0};
  const double volume = kPi * height * squares / 3;
  const double centroid = height * (a * a + 2 * a * b + 3 * b * b) / (4 * squares);
  const double axial =
      kPi * height / 10 *
      (a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b);
  const double about_base =
      axial / 2 + kPi * height * height * height * (a * a + 3 * a * b + 6 * b * b) / 30;
  return {volume, from + centroid, axial, about_base - volume * centroid * centroid};
}

// Its flat side is at `from`; it points up, or down for `up` = -1.
RevolvedPart HemispherePart(double from, double radius, double up) {
  const double volume = 2.0 / 3 * kPi * radius * radius * radius;
  const double square = volume * radius * radius;
  return {volume, from + up * 0.375 * radius, 0.4 * square, 83.0 / 320 * square};
}

// `up` is -1 if the scale along the axis mirrors the shape.
ColliderShape Revolved(std::initializer_list<RevolvedPart> parts, int axis, double up) {
  double volume = 0, moment = 0, axial = 0, transverse = 0;
  for (const RevolvedPart& part : parts) {
    volume += part.volume;
    moment += part.volume * part.centroid;
    axial += part.axial;
  }
  ColliderShape shape{.volume = volume, .inertia = {}, .center_of_mass = {}};
  if (!(volume > 0)) return shape;
  const double centroid = moment / volume;
  for (const RevolvedPart& part : parts) {
    const double distance = part.centroid - centroid;
    transverse += part.transverse + part.volume * distance * distance;
  }
  for (int i = 0; i < 3; ++i) {
    shape.inertia.m[i][i] = static_cast<float>(i == axis ? axial : transverse);
  }
  shape.center_of_mass[axis] = static_cast<float>(up * centroid);
  return shape;
}

double Number(RequestContext& context, const Prim& prim, Token name) {
  return AttributeValueAs<double>(context, prim, name, TimeCode::Default()).value_or(0);
}

ColliderShape MeasureCube(RequestContext& context, const Prim& prim, const Vec3d& scale) {
  const Vec3d edges = scale * std::fabs(Number(context, prim, Physics().size));
  const Vec3d squares = {edges[0] * edges[0], edges[1] * edges[1], edges[2] * edges[2]};
  ColliderShape shape;
  shape.volume = std::fabs(edges[0] * edges[1] * edges[2]);
  for (int i = 0; i < 3; ++i) {
    shape.inertia.m[i][i] =
        static_cast<float>(shape.volume * (squares[(i + 1) % 3] + squares[(i + 2) % 3]) / 12);
  }
  return shape;
}

// A shape about an axis: a cone, cylinder or capsule.
ColliderShape MeasureAxial(RequestContext& context, const Prim& prim, const Vec3d& scale,
                           bool tapered, bool capped) {
  const Token axis_name =
      AttributeValueAs<Token>(context, prim, Physics().axis, TimeCode::Default()).value_or(Token());
  const int axis = axis_name == Physics().Y ? 1 : axis_name == Physics().Z ? 2 : 0;
  const double across =
      std::max(std::fabs(scale[(axis + 1) % 3]), std::fabs(scale[(axis + 2) % 3]));
  const double height = std::fabs(Number(context, prim, Physics().height) * scale[axis]);
  const Token base_name = tapered ? Physics().radiusBottom : Physics().radius;
  const double base = std::fabs(Number(context, prim, base_name)) * across;
  double top = tapered ? std::fabs(Number(context, prim, Physics().radiusTop)) * across : base;
  if (prim.IsA(Physics().Cone)) top = 0;
  const double up = scale[axis] < 0 ? -1 : 1;
  const RevolvedPart body = FrustumPart(-height / 2, height, base, top);
  if (!capped) return Revolved({body}, axis, up);
  return Revolved({body, HemispherePart(-height / 2, base, -1), HemispherePart(height / 2, top, 1)},
                  axis, up);
}

ColliderShape MeasureSphere(RequestContext& context, const Prim& prim, const Vec3d& scale) {
  const double largest = std::max({std::fabs(scale[0]), std::fabs(scale[1]), std::fabs(scale[2])});
  const double radius = std::fabs(Number(context, prim, Physics().radius)) * largest;
  return Revolved({HemispherePart(0, radius, -1), HemispherePart(0, radius, 1)}, 0, 1);
}

// Sums over tetrahedra that have a corner at the origin.
class TetrahedraSum {
 public:
  void Add(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const double volume = Dot(a, Cross(b, c)) / 6;
    volume_ += volume;
    const Vec3d sum = a + b + c;
    moment_ = moment_ + sum * (volume / 4);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        products_[i][j] +=
            volume / 20 * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
      }
    }
  }

  ColliderShape Shape() const {
    ColliderShape shape;
    if (volume_ == 0 || !std::isfinite(volume_)) return shape;
    const double sign = volume_ < 0 ? -1 : 1;
    const Vec3d center = moment_ * (1 / volume_);
    double about[3][3];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        about[i][j] = sign * (products_[i][j] - volume_ * center[i] * center[j]);
      }
    }
    const double trace = about[0][0] + about[1][1] + about[2][2];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        shape.inertia.m[i][j] = static_cast<float>((i == j ? trace : 0) - about[i][j]);
      }
      shape.center_of_mass[i] = static_cast<float>(center[i]);
    }
    shape.volume = sign * volume_;
    return shape;
  }

 private:
  double volume_ = 0;
  Vec3d moment_;
  double products_[3][3] = {};  // integrals of x * x, x * y, …
};

ColliderShape MeasureMesh(RequestContext& context, const Prim& mesh, const Vec3d& scale) {
  const TimeCode time = TimeCode::Default();
  const auto points = AttributeArray<Vec3f>(context, mesh, Physics().points, time);
  const auto counts = AttributeArray<int>(context, mesh, Physics().faceVertexCounts, time);
  const auto indices = AttributeArray<int>(context, mesh, Physics().faceVertexIndices, time);
  const auto point = [&](size_t at) {
    const Vec3f& p = points[static_cast<size_t>(indices[at])];
    return Vec3d{p[0] * scale[0], p[1] * scale[1], p[2] * scale[2]};
  };
  const auto is_point = [&](int index) {
    return index >= 0 && static_cast<size_t>(index) < points.size();
  };
  Pacer pacer(context);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!pacer.Go() || !is_point(indices[i])) return {};
  }
  TetrahedraSum sum;
  size_t first = 0;
  for (size_t face = 0; face < counts.size(); ++face) {
    const int count = counts[face];
    if (count < 0 || static_cast<size_t>(count) > indices.size() - first) return {};
    if (!pacer.Go(1 + int64_t{count})) return {};
    for (size_t i = 1; i + 1 < static_cast<size_t>(count); ++i) {
      sum.Add(point(first), point(first + i), point(first + i + 1));
    }
    first += static_cast<size_t>(count);
  }
  return sum.Shape();
}

}  // namespace

ColliderShape MeasureCollider(RequestContext& context, const Prim& collider, const Vec3d& scale) {
  const auto& names = Physics();
  if (collider.IsA(names.Mesh)) return MeasureMesh(context, collider, scale);
  if (collider.IsA(names.Cube)) return MeasureCube(context, collider, scale);
  if (collider.IsA(names.Sphere)) return MeasureSphere(context, collider, scale);
  const bool capsule = collider.IsA(names.Capsule), tapered_capsule = collider.IsA(names.Capsule_1);
  const bool tapered_cylinder = collider.IsA(names.Cylinder_1);
  if (capsule || tapered_capsule || tapered_cylinder || collider.IsA(names.Cylinder) ||
      collider.IsA(names.Cone)) {
    return MeasureAxial(context, collider, scale, tapered_capsule || tapered_cylinder,
                        capsule || tapered_capsule);
  }
  return {};
}

}  // namespace stagedoor
