// Mass, center of mass and inertia tensor of rigid bodies, and the sums of several. Correspond to
// OpenUSD's UsdPhysicsMassProperties; computed in single precision, as there. Pure functions.
//
// Tensors and rotations act on row vectors.
#ifndef STAGEDOOR_SCENE_PHYSICS_MASS_PROPERTIES_H_
#define STAGEDOOR_SCENE_PHYSICS_MASS_PROPERTIES_H_

#include <span>

#include "scene/values/quat.h"
#include "scene/values/vec.h"

namespace stagedoor {

struct InertiaTensor {
  float m[3][3] = {};
};

InertiaTensor DiagonalInertia(const Vec3f& diagonal);
InertiaTensor operator*(const InertiaTensor& a, double factor);
// The tensor of a body after a rotation.
InertiaTensor RotateInertia(const InertiaTensor& inertia, const Quatf& rotation);
// The tensor of a body of `mass` about a point at a distance `t` of its center of mass.
InertiaTensor TranslateInertia(const InertiaTensor& inertia, float mass, const Vec3f& t);

// The principal moments of inertia, and the rotation to their axes, found by Jacobi rotations.
struct PrincipalInertia {
  Vec3f moments;
  Quatf axes;
};
PrincipalInertia Diagonalize(const InertiaTensor& inertia);

struct MassProperties {
  float mass = 0;
  InertiaTensor inertia;  // about the center of mass
  Vec3f center_of_mass;
};

// Moves the center of mass by `t`, and adds to the inertia what the distance amounts to.
void MoveCenterOfMass(const Vec3f& t, MassProperties* properties);

// The properties of a part and where it is in the space of the whole.
struct PlacedMass {
  MassProperties properties;
  Vec3f position;
  Quatf rotation;
};
MassProperties SumOfMasses(std::span<const PlacedMass> parts);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PHYSICS_MASS_PROPERTIES_H_
