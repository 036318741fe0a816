#include "scene/physics/rigid_body_mass.h"

#include <cmath>
#include <cstdint>
#include <optional>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/physics/physics_tokens.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix_math.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr double kTolerance = 1e-5f;
constexpr int64_t kStepsPerCollider = 64;
constexpr size_t kBytesPerTransform = 256;  // cached, with its entry in the map
constexpr float kDefaultDensity = 1000;     // kg/m³

// Whether a prim has a schema and its attribute does not disable it.
bool IsEnabled(RequestContext& context, const Prim& prim, Token schema, Token attribute) {
  return prim.HasApi(schema) &&
         AttributeValueAs<bool>(context, prim, attribute, TimeCode::Default()).value_or(true);
}

bool IsZero(const Vec3f& v) { return std::sqrt(static_cast<double>(Dot(v, v))) <= kTolerance; }

float UnitOf(const Prim& prim, Token field, double fallback) {
  const Value value = prim.stage().Metadata(field);
  const double* number = value.Get<double>();
  return static_cast<float>(number != nullptr ? *number : fallback);
}

float MetersPerUnit(const Prim& prim) { return UnitOf(prim, Physics().metersPerUnit, 0.01); }

Vec3f Scaled(const Vec3f& v, const Vec3d& scale) {
  Vec3f r;
  for (int i = 0; i < 3; ++i) r[i] = v[i] * static_cast<float>(scale[i]);
  return r;
}

Vec3f InBody(const PlacedMass& placed) {
  const Vec3d center = VecCast<double>(placed.properties.center_of_mass);
  const Vec3d moved = center * RotationMatrix3(QuatCast<double>(placed.rotation));
  return VecCast<float>(moved) + placed.position;
}

// The inertia of a sphere of 0.1 m, which stands for a body without colliders.
Vec3f SmallSphere(const Prim& body, float mass) {
  const float radius = 0.1f / MetersPerUnit(body);
  const float inertia = 0.4f * mass * radius * radius;
  return {inertia, inertia, inertia};
}

}  // namespace

// The authored values of the PhysicsMassAPI of a prim.
struct RigidBodyMasses::Authored {
  float mass = -1;     // none unless it is positive
  float density = -1;  // none unless it is positive
  std::optional<Vec3f> diagonal_inertia;
  std::optional<Quatf> principal_axes;
  std::optional<Vec3f> center_of_mass;  // scaled
};

bool IsRigidBody(const Prim& prim) { return prim.HasApi(Physics().PhysicsRigidBodyAPI); }

RigidBodyMasses::RigidBodyMasses(RequestContext& context)
    : context_(context), reserved_(context), xforms_(TimeCode::Default()), bindings_(context) {}

Vec3d RigidBodyMasses::WorldScale(const Prim& prim) {
  MatrixFactors factors;
  Factor(xforms_.LocalToWorld(context_, prim), &factors);
  return factors.scale;
}

RigidBodyMasses::Authored RigidBodyMasses::ReadAuthored(const Prim& prim) {
  Authored found;
  if (!prim.HasApi(Physics().PhysicsMassAPI)) return found;
  const auto& names = Physics();
  const auto number = [&](Token name) {
    return AttributeValueAs<float>(context_, prim, name, TimeCode::Default()).value_or(-1);
  };
  found.density = number(names.physics_density);
  const float mass = number(names.physics_mass);
  if (mass > 0) found.mass = mass;
  const auto inertia =
      AttributeValueAs<Vec3f>(context_, prim, names.physics_diagonalInertia, TimeCode::Default());
  if (inertia && !IsZero(*inertia)) found.diagonal_inertia = inertia;
  const auto axes =
      AttributeValueAs<Quatf>(context_, prim, names.physics_principalAxes, TimeCode::Default());
  if (axes && (!IsZero(axes->imaginary) || std::fabs(axes->real) > kTolerance)) {
    found.principal_axes = axes;
  }
  const auto center =
      AttributeValueAs<Vec3f>(context_, prim, names.physics_centerOfMass, TimeCode::Default());
  if (center && std::isfinite((*center)[0]) && std::isfinite((*center)[1]) &&
      std::isfinite((*center)[2])) {
    found.center_of_mass = Scaled(*center, WorldScale(prim));
  }
  return found;
}

Path RigidBodyMasses::PhysicsMaterial(const Prim& collider) {
  const MaterialBinding* binding = bindings_.Find(collider, Physics().physics.text());
  if (binding == nullptr || binding->material.empty()) return {};
  const Prim material = collider.stage().FindPrim(binding->material);
  const bool is_physics = material.valid() && material.HasApi(Physics().PhysicsMaterialAPI);
  return is_physics ? binding->material : Path();
}

float RigidBodyMasses::DensityOf(const Prim& collider, float own, float body_density,
                                 Path material) {
  float density = own <= 0 ? body_density : own;
  if (density <= 0 && !material.empty()) {
    const Prim prim = collider.stage().FindPrim(material);
    density =
        AttributeValueAs<float>(context_, prim, Physics().physics_density, TimeCode::Default())
            .value_or(density);
  }
  if (density <= 0) {
    const float meters = MetersPerUnit(collider);
    density = kDefaultDensity * meters * meters * meters /
              UnitOf(collider, Physics().kilogramsPerUnit, 1);
  }
  return density;
}

void RigidBodyMasses::Place(const Prim& body, const Prim& collider, PlacedMass* placed) {
  placed->rotation = IdentityQuat<float>();
  if (body == collider) return;
  const Matrix4d body_to_world = xforms_.LocalToWorld(context_, body);
  MatrixFactors factors;
  Factor(xforms_.LocalToWorld(context_, collider) * Inverse(body_to_world), &factors);
  placed->position = Scaled(VecCast<float>(factors.translation), WorldScale(body));
  placed->rotation = QuatCast<float>(Normalized(ExtractRotation(factors.rotation)));
}

PlacedMass RigidBodyMasses::Measure(const Prim& body, const Prim& collider, float body_density,
                                    ColliderMass* report) {
  const Authored own = ReadAuthored(collider);
  const ColliderShape shape = MeasureCollider(context_, collider, WorldScale(collider));
  const Path material = PhysicsMaterial(collider);
  const float density = DensityOf(collider, own.density, body_density, material);
  const auto volume = static_cast<float>(shape.volume);
  PlacedMass placed;
  MassProperties& properties = placed.properties;
  properties.center_of_mass = shape.center_of_mass;
  const bool has_mass = own.mass > 0;
  properties.mass = has_mass ? own.mass : volume * density;
  properties.inertia = shape.inertia * (has_mass ? own.mass / volume : density);
  if (own.diagonal_inertia) properties.inertia = DiagonalInertia(*own.diagonal_inertia);
  if (own.principal_axes) {
    properties.inertia = RotateInertia(properties.inertia, *own.principal_axes);
  }
  if (own.center_of_mass) {
    if (!own.diagonal_inertia) {
      MoveCenterOfMass(*own.center_of_mass - properties.center_of_mass, &properties);
    }
    properties.center_of_mass = *own.center_of_mass;
  }
  Place(body, collider, &placed);
  *report = {.prim = collider,
             .volume = shape.volume,
             .density = density,
             .mass = properties.mass,
             .material = material,
             .center_of_mass = InBody(placed)};
  return placed;
}

bool RigidBodyMasses::ReserveTransforms() {
  const size_t bytes = xforms_.size() * kBytesPerTransform;
  return bytes <= reserved_.bytes() ||
         reserved_.Grow(bytes - reserved_.bytes(), "the transforms of colliders").ok();
}

RigidBodyMass RigidBodyMasses::Compute(const Prim& body, std::vector<ColliderMass>* colliders) {
  const Authored own = ReadAuthored(body);
  RigidBodyMass result{.mass = own.mass,
                       .diagonal_inertia = own.diagonal_inertia.value_or(Vec3f{1, 1, 1}),
                       .center_of_mass = own.center_of_mass.value_or(Vec3f()),
                       .principal_axes = own.principal_axes.value_or(IdentityQuat<float>())};
  if (own.mass > 0 && own.diagonal_inertia && own.center_of_mass) return result;
  std::vector<PlacedMass> parts;
  Reservation scratch(context_);
  Pacer pacer(context_);
  const auto predicate = PrimFlagsPredicate::Default().WithInstanceProxies();
  const PrimRange range = body.stage().Traverse(body, predicate);
  for (auto it = range.begin(); it != range.end(); ++it) {
    const Prim prim = *it;
    if (!pacer.Go()) return result;
    if (prim != body && IsEnabled(context_, prim, Physics().PhysicsRigidBodyAPI,
                                  Physics().physics_rigidBodyEnabled)) {
      it.PruneChildren();
      continue;
    }
    if (!IsEnabled(context_, prim, Physics().PhysicsCollisionAPI,
                   Physics().physics_collisionEnabled)) {
      continue;
    }
    if (!pacer.Go(kStepsPerCollider) ||
        !scratch.Grow(2 * (sizeof(PlacedMass) + sizeof(ColliderMass)), "the masses of colliders")
             .ok()) {
      return result;
    }
    ColliderMass report;
    parts.push_back(Measure(body, prim, own.density, &report));
    if (colliders != nullptr) colliders->push_back(report);
    if (!ReserveTransforms()) return result;
  }
  if (parts.empty()) {
    if (!own.diagonal_inertia && own.mass > 0) {
      result.diagonal_inertia = SmallSphere(body, own.mass);
    }
    return result;
  }
  MassProperties sum = SumOfMasses(parts);
  if (own.mass > 0) {
    sum.inertia = sum.inertia * (own.mass / sum.mass);
    sum.mass = own.mass;
  }
  result.mass = sum.mass;
  if (own.center_of_mass) {
    MoveCenterOfMass(*own.center_of_mass - sum.center_of_mass, &sum);
  } else {
    result.center_of_mass = sum.center_of_mass;
  }
  const PrincipalInertia principal = Diagonalize(sum.inertia);
  if (!own.diagonal_inertia) result.diagonal_inertia = principal.moments;
  if (!own.principal_axes) result.principal_axes = principal.axes;
  return result;
}

}  // namespace stagedoor
