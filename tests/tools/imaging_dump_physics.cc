#include "tests/tools/imaging_dump_physics.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "scene/physics/collision_groups.h"
#include "scene/physics/mass_properties.h"
#include "scene/physics/physics_tokens.h"
#include "scene/physics/rigid_body_mass.h"
#include "scene/shade/material_binding.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix_math.h"
#include "scene/values/quat_math.h"

namespace stagedoor {
namespace {

using PhysicsJson = nlohmann::json;

// Numbers that are not finite become null.
template <typename T>
PhysicsJson Finite(std::span<const T> numbers) {
  PhysicsJson list = PhysicsJson::array();
  for (const T number : numbers) {
    list.push_back(std::isfinite(number) ? PhysicsJson(number) : PhysicsJson());
  }
  return list;
}

PhysicsJson TensorOf(const RigidBodyMass& mass) {
  const Matrix3d rotation = RotationMatrix3(QuatCast<double>(mass.principal_axes));
  Matrix3d moments;
  for (int i = 0; i < 3; ++i) moments.m[i][i] = mass.diagonal_inertia[i];
  const Matrix3d tensor = Transpose(rotation) * moments * rotation;
  return Finite(std::span<const double>(&tensor.m[0][0], 9));
}

void PrintMass(RequestContext& context, const Prim& prim) {
  std::vector<ColliderMass> colliders;
  const RigidBodyMass mass = RigidBodyMasses(context).Compute(prim, &colliders);
  Record record("physics", prim);
  record.Text("key", "mass");
  record.Json("mass", Finite(std::span<const float>(&mass.mass, 1))[0].dump());
  record.Json("center", Finite(std::span<const float>(mass.center_of_mass.v)).dump());
  Vec3f moments = mass.diagonal_inertia;
  std::sort(std::begin(moments.v), std::end(moments.v));
  record.Json("moments", Finite(std::span<const float>(moments.v)).dump());
  PhysicsJson paths = PhysicsJson::array();
  for (const ColliderMass& collider : colliders) paths.push_back(collider.prim.PathText());
  record.Json("colliders", paths.dump());
  if (!colliders.empty()) record.Json("tensor", TensorOf(mass).dump());
  record.Print();
}

void PrintTable(const Prim& prim, const CollisionGroupTable& table) {
  PhysicsJson groups = PhysicsJson::array(), enabled = PhysicsJson::array();
  for (size_t a = 0; a < table.groups().size(); ++a) {
    groups.push_back(table.groups()[a].prim.PathText());
    PhysicsJson row = PhysicsJson::array();
    for (size_t b = 0; b < table.groups().size(); ++b)
      row.push_back(table.IsCollisionEnabled(a, b));
    enabled.push_back(row);
  }
  Record record("physics", prim);
  record.Text("key", "table");
  record.Json("groups", groups.dump());
  record.Json("enabled", enabled.dump());
  record.Print();
}

void PrintCollider(RequestContext& context, const Prim& prim, const CollisionGroupTable& table) {
  MaterialBindings bindings(context);
  const MaterialBinding* binding = bindings.Find(prim, Physics().physics.text());
  PhysicsJson pairs = PhysicsJson::array();
  for (const Path target : FilteredPairs(context, prim)) pairs.push_back(target.ToString());
  Record record("physics", prim);
  record.Text("key", "collider");
  record.Text("material", binding != nullptr ? binding->material.ToString() : "");
  record.Json("groups", PhysicsJson(CollisionGroupMembers(context, table).GroupsOf(prim)).dump());
  record.Json("pairs", pairs.dump());
  record.Print();
}

}  // namespace

void PrintPhysics(RequestContext& context, const Prim& prim) {
  const bool is_collider = prim.HasApi(Physics().PhysicsCollisionAPI);
  if (is_collider || prim.PathText() == "/Looks") {
    const auto table = CollisionGroupTable::Compute(context, prim.stage());
    if (!table.ok()) return;
    if (is_collider) {
      PrintCollider(context, prim, *table);
    } else {
      PrintTable(prim, *table);
    }
  }
  if (IsRigidBody(prim)) PrintMass(context, prim);
}

}  // namespace stagedoor
