// The volume of colliders, and how it is distributed: what OpenUSD's
// UsdPhysicsRigidBodyAPI::ComputeMassProperties asks its caller for (MassInformation).
//
// Physics knows no scale: the shape has the size that the scale of its prim's transform to world
// space gives it, as usd-core's parser of physics (UsdPhysicsLoadFromRange) measures shapes. With
// the scale s, r = radius * (the larger scale across the axis) and h = height * (scale along it):
//
//   Cube        a = |size| * s, V = ax ay az; inertia of x: V (ay² + az²) / 12
//   Sphere      r = radius * (the largest |s|), V = 4/3 π r³; inertia 2/5 V r²
//   Cylinder    a frustum of a cone with equal radii
//   Cone        one whose top has no radius; the center of mass is h/4 above its base
//   Cylinder_1  one with radiusBottom and radiusTop
//   Capsule     a cylinder and two hemispheres; Capsule_1: a frustum and two hemispheres
//   Mesh        the signed tetrahedra of the origin with the triangles (v0, vi, vi+1) of each face;
//               with points * s, whichever way the faces wind, whatever the mesh's approximation
//   Plane       none
//
// A frustum of radii a (base) and b (top) has V = π h (a² + ab + b²) / 3, its centroid at
// h (a² + 2ab + 3b²) / (4 (a² + ab + b²)) above the base, an axial inertia of
// π h (a⁴ + a³b + a²b² + ab³ + b⁴) / 10, and a transverse inertia about its base of half of that
// plus π h³ (a² + 3ab + 6b²) / 30. A hemisphere has V = 2/3 π r³, its centroid at 3/8 r, an axial
// inertia of 2/5 V r² and a transverse one about its centroid of 83/320 V r².
#ifndef STAGEDOOR_SCENE_PHYSICS_COLLIDER_SHAPE_H_
#define STAGEDOOR_SCENE_PHYSICS_COLLIDER_SHAPE_H_

#include "base/request_context.h"
#include "scene/physics/mass_properties.h"
#include "scene/stage/prim.h"
#include "scene/values/vec.h"

namespace stagedoor {

struct ColliderShape {
  double volume = 0;      // 0 for a plane and for what is not a shape
  InertiaTensor inertia;  // at density 1, about the center of mass, in the axes of the prim
  Vec3f center_of_mass;   // in the space of the prim, scaled
};

// The shape of a collider at default time, whose transform to world space has the scale `scale`. A
// mesh with indices of missing points has no volume.
ColliderShape MeasureCollider(RequestContext& context, const Prim& collider, const Vec3d& scale);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PHYSICS_COLLIDER_SHAPE_H_
