#ifndef STAGEDOOR_SCENE_PHYSICS_PHYSICS_TOKENS_H_
#define STAGEDOOR_SCENE_PHYSICS_PHYSICS_TOKENS_H_

#include "scene/paths/token.h"

namespace stagedoor {

// The names that the code of this package uses, interned once.
struct PhysicsTokens {
  const Token Capsule{"Capsule"};
  const Token Capsule_1{"Capsule_1"};
  const Token Cone{"Cone"};
  const Token Cube{"Cube"};
  const Token Cylinder{"Cylinder"};
  const Token Cylinder_1{"Cylinder_1"};
  const Token Mesh{"Mesh"};
  const Token PhysicsCollisionAPI{"PhysicsCollisionAPI"};
  const Token PhysicsCollisionGroup{"PhysicsCollisionGroup"};
  const Token PhysicsFilteredPairsAPI{"PhysicsFilteredPairsAPI"};
  const Token PhysicsMassAPI{"PhysicsMassAPI"};
  const Token PhysicsMaterialAPI{"PhysicsMaterialAPI"};
  const Token PhysicsRigidBodyAPI{"PhysicsRigidBodyAPI"};
  const Token Plane{"Plane"};
  const Token Sphere{"Sphere"};
  const Token Y{"Y"};
  const Token Z{"Z"};
  const Token axis{"axis"};
  const Token colliders{"colliders"};
  const Token faceVertexCounts{"faceVertexCounts"};
  const Token faceVertexIndices{"faceVertexIndices"};
  const Token height{"height"};
  const Token kilogramsPerUnit{"kilogramsPerUnit"};
  const Token metersPerUnit{"metersPerUnit"};
  const Token physics{"physics"};
  const Token physics_centerOfMass{"physics:centerOfMass"};
  const Token physics_collisionEnabled{"physics:collisionEnabled"};
  const Token physics_density{"physics:density"};
  const Token physics_diagonalInertia{"physics:diagonalInertia"};
  const Token physics_filteredGroups{"physics:filteredGroups"};
  const Token physics_filteredPairs{"physics:filteredPairs"};
  const Token physics_invertFilteredGroups{"physics:invertFilteredGroups"};
  const Token physics_mass{"physics:mass"};
  const Token physics_mergeGroup{"physics:mergeGroup"};
  const Token physics_principalAxes{"physics:principalAxes"};
  const Token physics_rigidBodyEnabled{"physics:rigidBodyEnabled"};
  const Token points{"points"};
  const Token radius{"radius"};
  const Token radiusBottom{"radiusBottom"};
  const Token radiusTop{"radiusTop"};
  const Token size{"size"};
};

const PhysicsTokens& Physics();

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PHYSICS_PHYSICS_TOKENS_H_
