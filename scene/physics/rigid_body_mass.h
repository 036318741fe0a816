// The mass of rigid bodies. Corresponds to OpenUSD's UsdPhysicsRigidBodyAPI::ComputeMassProperties
// with the shapes of collider_shape.h. As there, all is read at default time.
//
// The mass, inertia, center of mass and principal axes of a body are those of its
// PhysicsMassAPI; those that it lacks are the sums over the enabled colliders at and
// below it, also in instances, but for those of other enabled rigid bodies below:
//
//   mass     physics:mass of the collider, else its volume times its density
//   density  physics:density of the collider, else of the body, else of the material that it is
//            bound to for the purpose "physics", else 1000 kg/m³ in the units of the stage
//   inertia  physics:diagonalInertia of the collider, else that of its shape times its density, or
//            times its mass by its volume
//
// A mass of the body scales the inertia of its colliders. Centers of mass that are authored are
// scaled as the prim is in world space.
#ifndef STAGEDOOR_SCENE_PHYSICS_RIGID_BODY_MASS_H_
#define STAGEDOOR_SCENE_PHYSICS_RIGID_BODY_MASS_H_

#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/geom/xform_cache.h"
#include "scene/paths/path.h"
#include "scene/physics/collider_shape.h"
#include "scene/physics/mass_properties.h"
#include "scene/shade/material_binding.h"
#include "scene/stage/prim.h"
#include "scene/values/matrix.h"

namespace stagedoor {

struct RigidBodyMass {
  // -1 if the body has neither mass nor colliders. Masses are in the stage's units of kilograms.
  float mass = -1;
  Vec3f diagonal_inertia = {1, 1, 1};
  Vec3f center_of_mass;  // in the space of the body, without its scale
  Quatf principal_axes;
};

// The contribution of a collider to the mass of a body.
struct ColliderMass {
  Prim prim;
  double volume = 0;  // in the units of the stage
  float density = 0;  // that the volume is multiplied by, unless the collider has a mass
  float mass = 0;
  Path material;         // of physics, bound to the collider; empty if there is none
  Vec3f center_of_mass;  // in the space of the body, without its scale
};

// Whether the prim has PhysicsRigidBodyAPI.
bool IsRigidBody(const Prim& prim);

// Computes the mass of many bodies of a stage. Valid as long as the stage. Not thread-safe.
class RigidBodyMasses {
 public:
  explicit RigidBodyMasses(RequestContext& context);

  // Meaningless once the request is over. `colliders` may be null; it gets those that were needed:
  // none if the body itself has mass, inertia and center of mass.
  RigidBodyMass Compute(const Prim& body, std::vector<ColliderMass>* colliders = nullptr);

 private:
  struct Authored;
  Authored ReadAuthored(const Prim& prim);
  Vec3d WorldScale(const Prim& prim);
  PlacedMass Measure(const Prim& body, const Prim& collider, float body_density,
                     ColliderMass* report);
  Path PhysicsMaterial(const Prim& collider);
  float DensityOf(const Prim& collider, float own, float body_density, Path material);
  // Reserves the memory of the cached transforms. False once the request is over.
  bool ReserveTransforms();
  void Place(const Prim& body, const Prim& collider, PlacedMass* placed);

  RequestContext& context_;
  Reservation reserved_;
  XformCache xforms_;
  MaterialBindings bindings_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PHYSICS_RIGID_BODY_MASS_H_
