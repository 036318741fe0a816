#include "scene/physics/mass_properties.h"

#include <cmath>

#include "scene/values/matrix_math.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr int kMaxRotations = 24;

InertiaTensor Rotation(const Quatf& q) {
  const Matrix3d rotation = RotationMatrix3(QuatCast<double>(q));
  InertiaTensor r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.m[i][j] = static_cast<float>(rotation.m[i][j]);
  }
  return r;
}

InertiaTensor Transposed(const InertiaTensor& a) {
  InertiaTensor r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.m[i][j] = a.m[j][i];
  }
  return r;
}

InertiaTensor Product(const InertiaTensor& a, const InertiaTensor& b) {
  InertiaTensor r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    }
  }
  return r;
}

InertiaTensor Sum(const InertiaTensor& a, const InertiaTensor& b) {
  InertiaTensor r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.m[i][j] = a.m[i][j] + b.m[i][j];
  }
  return r;
}

// The axis to rotate about to remove the largest element beside the diagonal.
int AxisOfLargest(const InertiaTensor& d) {
  const float x = std::fabs(d.m[1][2]), y = std::fabs(d.m[0][2]), z = std::fabs(d.m[0][1]);
  if (x > y && x > z) return 0;
  return y > z ? 1 : 2;
}

// The rotation about `axis` by the angle phi with cot(2 * phi) = w.
Quatf JacobiRotation(int axis, float w) {
  Quatf q = IdentityQuat<float>();
  const float size = std::fabs(w);
  if (size > 1000) {  // sin(phi / 2) is about 1 / (4 * w)
    q.imaginary[axis] = 1 / (4 * w);
    return q;
  }
  const float tangent = 1 / (size + std::sqrt(w * w + 1));
  const float cosine = 1 / std::sqrt(tangent * tangent + 1);
  q.real = std::sqrt((1 + cosine) / 2);
  q.imaginary[axis] = std::sqrt((1 - cosine) / 2) * (w >= 0 ? 1.0f : -1.0f);
  return q;
}

Quatf Unit(const Quatf& q) { return QuatCast<float>(Normalized(QuatCast<double>(q))); }

Vec3f Moved(const Vec3f& point, const PlacedMass& part) {
  const InertiaTensor r = Rotation(part.rotation);
  Vec3f moved;
  for (int j = 0; j < 3; ++j) {
    moved[j] =
        point[0] * r.m[0][j] + point[1] * r.m[1][j] + point[2] * r.m[2][j] + part.position[j];
  }
  return moved;
}

}  // namespace

InertiaTensor DiagonalInertia(const Vec3f& diagonal) {
  InertiaTensor r;
  for (int i = 0; i < 3; ++i) r.m[i][i] = diagonal[i];
  return r;
}

InertiaTensor operator*(const InertiaTensor& a, double factor) {
  InertiaTensor r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.m[i][j] = static_cast<float>(a.m[i][j] * factor);
  }
  return r;
}

InertiaTensor RotateInertia(const InertiaTensor& inertia, const Quatf& rotation) {
  const InertiaTensor r = Rotation(rotation);
  return Product(Product(Transposed(r), inertia), r);
}

InertiaTensor TranslateInertia(const InertiaTensor& inertia, float mass, const Vec3f& t) {
  const InertiaTensor cross = {.m = {{0, -t[2], t[1]}, {t[2], 0, -t[0]}, {-t[1], t[0], 0}}};
  return Sum(Product(cross, Transposed(cross)) * mass, inertia);
}

PrincipalInertia Diagonalize(const InertiaTensor& inertia) {
  Quatf axes = IdentityQuat<float>();
  InertiaTensor d;
  for (int i = 0; i < kMaxRotations; ++i) {
    const InertiaTensor rotation = Rotation(axes);
    d = Product(Product(rotation, inertia), Transposed(rotation));
    const int axis = AxisOfLargest(d);
    const int one = (axis + 1) % 3, two = (axis + 2) % 3;
    const float beside = d.m[one][two];
    const float difference = d.m[one][one] - d.m[two][two];
    if (beside == 0 || std::fabs(difference) > 2e6 * std::fabs(2.0 * beside)) break;
    axes = Unit(axes * JacobiRotation(axis, difference / (2 * beside)));
  }
  return {.moments = {d.m[0][0], d.m[1][1], d.m[2][2]}, .axes = axes};
}

void MoveCenterOfMass(const Vec3f& t, MassProperties* properties) {
  properties->inertia = TranslateInertia(properties->inertia, properties->mass, t);
  properties->center_of_mass = properties->center_of_mass + t;
}

MassProperties SumOfMasses(std::span<const PlacedMass> parts) {
  MassProperties sum;
  for (const PlacedMass& part : parts) {
    sum.mass += part.properties.mass;
    sum.center_of_mass =
        sum.center_of_mass + Moved(part.properties.center_of_mass, part) * part.properties.mass;
  }
  if (sum.mass > 0) sum.center_of_mass = sum.center_of_mass * (1.0 / sum.mass);
  for (const PlacedMass& part : parts) {
    const Vec3f distance = sum.center_of_mass - Moved(part.properties.center_of_mass, part);
    const InertiaTensor rotated = RotateInertia(part.properties.inertia, part.rotation);
    sum.inertia = Sum(sum.inertia, TranslateInertia(rotated, part.properties.mass, distance));
  }
  return sum;
}

}  // namespace stagedoor
