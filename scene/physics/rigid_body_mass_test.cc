#include "scene/physics/rigid_body_mass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

// Expectations are those of usd-core.
class RigidBodyMassTest : public testing::Test {
 protected:
  // A body with a cube, a sphere and a plane; the opinions of the body and of the cube.
  RigidBodyMass Compute(std::string_view body, std::string_view cube,
                        std::string_view units = "metersPerUnit = 1") {
    scene_.Write("root.usda", Concat(R"((
  )",
                                     units, R"(
)
def Xform "B" (
  prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
) {
  float3 xformOp:scale = (2, 2, 2)
  uniform token[] xformOpOrder = ["xformOp:scale"]
  )",
                                     body, R"(
  def Cube "C" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI", "MaterialBindingAPI"]
  ) {
    double3 xformOp:translate = (1, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel material:binding:physics = </M>
    )",
                                     cube, R"(
  }
  def Sphere "S" (
    prepend apiSchemas = ["PhysicsCollisionAPI"]
  ) {
    double3 xformOp:translate = (0, 3, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
  def Plane "P" (
    prepend apiSchemas = ["PhysicsCollisionAPI"]
  ) {
  }
}
def Material "M" (
  prepend apiSchemas = ["PhysicsMaterialAPI"]
) {
  float physics:density = 250
}
)"));
    stage_ = scene_.Open("root.usda");
    colliders_.clear();
    return RigidBodyMasses(scene_.context()).Compute(stage_->FindPrim(P("/B")), &colliders_);
  }
  RigidBodyMass ComputeAlone(std::string_view properties) {
    scene_.Write("root.usda", Concat(R"(def Xform "B" (
  prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
) {
)",
                                     properties, "\n}\n"));
    stage_ = scene_.Open("root.usda");
    return RigidBodyMasses(scene_.context()).Compute(stage_->FindPrim(P("/B")));
  }
  void Expect(const RigidBodyMass& found, double mass, Vec3f moments, const Vec3f& center) {
    EXPECT_NEAR(found.mass, mass, 1e-5 * mass);
    Vec3f sorted = found.diagonal_inertia;
    std::sort(std::begin(sorted.v), std::end(sorted.v));
    std::sort(std::begin(moments.v), std::end(moments.v));
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(sorted[i], moments[i], 1e-4 * moments[2]) << i;
      EXPECT_NEAR(found.center_of_mass[i], center[i], 1e-4) << i;
    }
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  std::vector<ColliderMass> colliders_;
};

TEST_F(RigidBodyMassTest, SumsColliders) {
  Expect(Compute("", ""), 49510.3242, {572775.125, 96283.195, 572775.0625},
         {0.64633, 4.06101, 1.35367});
  ASSERT_EQ(colliders_.size(), 3u);
  EXPECT_EQ(colliders_[0].density, 250);
  EXPECT_EQ(colliders_[0].mass, 16000);
  EXPECT_EQ(colliders_[0].volume, 64);
  EXPECT_EQ(colliders_[0].material, P("/M"));
  EXPECT_EQ(colliders_[0].center_of_mass, (Vec3f{2, 0, 0}));
  EXPECT_EQ(colliders_[1].density, 1000);
  EXPECT_TRUE(colliders_[1].material.empty());
  EXPECT_EQ(colliders_[2].volume, 0);
  EXPECT_EQ(colliders_[2].mass, 0);
}

TEST_F(RigidBodyMassTest, DensitiesOverrideMaterials) {
  Expect(Compute("float physics:density = 10", ""), 975.1032, {11920.2754, 2242.8320, 11920.2744},
         {1.31268, 2.06196, 0.68732});
  Expect(Compute("float physics:density = 10", "float physics:density = 20"), 1615.1033,
         {15634.828, 3949.4985, 15634.83}, {1.585038, 1.244886, 0.414962});
}

TEST_F(RigidBodyMassTest, MassesOverrideDensities) {
  Expect(Compute("", "float physics:mass = 5"), 33515.3242, {53849.82, 53629.848, 53849.82},
         {0.000298, 5.999104, 1.999702});
  Expect(Compute("float physics:mass = 7", ""), 7, {80.981598, 13.612966, 80.981598},
         {0.64633, 4.06101, 1.35367});
}

TEST_F(RigidBodyMassTest, CentersOfMassAreScaled) {
  Expect(Compute("point3f physics:centerOfMass = (1, 2, 3)", ""), 49510.3242,
         {1732531.125, 1285150.875, 543663.4375}, {2, 4, 6});
  Expect(Compute("", "point3f physics:centerOfMass = (1, 2, 3)"), 49510.3242,
         {1382140.25, 1143993.75, 334429.53125}, {1.29266, 5.35367, 3.29266});
}

TEST_F(RigidBodyMassTest, AuthoredInertiaReplacesThatOfShapes) {
  const RigidBodyMass body = Compute("float3 physics:diagonalInertia = (1, 2, 3)", "");
  EXPECT_EQ(body.diagonal_inertia, (Vec3f{1, 2, 3}));
  EXPECT_NEAR(body.principal_axes.real, 0.97553575, 1e-4);
  Expect(Compute("", "float3 physics:diagonalInertia = (1, 2, 3)"), 49510.3242,
         {530109.5625, 53618.5195, 530111.3125}, {0.64633, 4.06101, 1.35367});
  const RigidBodyMass turned = Compute("quatf physics:principalAxes = (0, 1, 0, 0)", "");
  EXPECT_EQ(turned.principal_axes.imaginary, (Vec3f{1, 0, 0}));
}

TEST_F(RigidBodyMassTest, UnitsScaleTheDefaultDensity) {
  Compute("", "", "metersPerUnit = 0.1\nkilogramsPerUnit = 0.001");
  ASSERT_EQ(colliders_.size(), 3u);
  EXPECT_EQ(colliders_[0].density, 250);
  EXPECT_NEAR(colliders_[1].density, 1000, 0.01);
}

TEST_F(RigidBodyMassTest, OnlyEnabledCollidersOfTheBodyCount) {
  scene_.Write("root.usda", R"(
def Cube "B" (
  prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
) {
  bool physics:rigidBodyEnabled = 0
  def Cube "Other" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
  ) {
    def Cube "Below" (
      prepend apiSchemas = ["PhysicsCollisionAPI"]
    ) {
    }
  }
  def Cube "Disabled" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
  ) {
    bool physics:rigidBodyEnabled = 0
  }
  def Cube "Off" (
    prepend apiSchemas = ["PhysicsCollisionAPI"]
  ) {
    bool physics:collisionEnabled = 0
    def Cube "On" (
      prepend apiSchemas = ["PhysicsCollisionAPI"]
    ) {
    }
  }
  def "Instance" (
    instanceable = true
    references = </Asset>
  ) {
  }
}
class "Asset" {
  def Cube "Shape" (
    prepend apiSchemas = ["PhysicsCollisionAPI"]
  ) {
  }
}
)");
  const auto stage = scene_.Open("root.usda");
  RigidBodyMasses(scene_.context()).Compute(stage->FindPrim(P("/B")), &colliders_);
  std::string paths;
  for (const ColliderMass& collider : colliders_) paths += collider.prim.PathText() + " ";
  EXPECT_EQ(paths, "/B /B/Disabled /B/Off/On /B/Instance/Shape ");
}

TEST_F(RigidBodyMassTest, CompleteBodiesDoNotAskColliders) {
  const RigidBodyMass found = Compute(
      "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 3)\n"
      "point3f physics:centerOfMass = (0, 0, 0)",
      "");
  EXPECT_EQ(found.mass, 2);
  EXPECT_EQ(found.principal_axes.real, 1);
  EXPECT_TRUE(colliders_.empty());
}

TEST_F(RigidBodyMassTest, BodiesWithoutCollidersAreSmallSpheres) {
  // At 0.01 meters per unit, which is the fallback.
  Expect(ComputeAlone("float physics:mass = 3"), 3, {120, 120, 120}, {});
  const RigidBodyMass nothing = ComputeAlone("");
  EXPECT_EQ(nothing.mass, -1);
  EXPECT_EQ(nothing.diagonal_inertia, (Vec3f{1, 1, 1}));
  EXPECT_TRUE(IsRigidBody(stage_->FindPrim(P("/B"))));
}

}  // namespace
}  // namespace stagedoor
