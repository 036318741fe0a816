#include "server/handlers/physics_handler.h"

#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class PhysicsHandlerTest : public ServerTest {
 protected:
  PhysicsHandlerTest() {
    Write("root.usda", R"((
  metersPerUnit = 1
)
def PhysicsCollisionGroup "A" {
  rel collection:colliders:includes = </Body>
  rel physics:filteredGroups = </B>
  string physics:mergeGroup = "m"
}
def PhysicsCollisionGroup "B" {
  rel collection:colliders:includes = </Body/Box>
  bool physics:invertFilteredGroups = 1
}
def PhysicsCollisionGroup "C" {
  string physics:mergeGroup = "m"
}
def Xform "Body" (
  prepend apiSchemas = ["PhysicsRigidBodyAPI"]
) {
  def Cube "Box" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsFilteredPairsAPI", "MaterialBindingAPI"]
  ) {
    rel material:binding:physics = </Steel>
    rel physics:filteredPairs = </Body>
  }
}
def Material "Steel" (
  prepend apiSchemas = ["PhysicsMaterialAPI"]
) {
  float physics:density = 100
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    stage_ = Open(open);
  }
  v1::StageRef stage_;
};

TEST_F(PhysicsHandlerTest, FindsGroupsAndTheirTable) {
  v1::ComputeCollisionGroupsRequest request;
  *request.mutable_stage() = stage_;
  for (const char* path : {"/Body/Box", "/Body", "/None"}) request.add_paths(path);
  const auto response = client().ComputeCollisionGroups(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->snapshot().size(), 32u);
  ASSERT_EQ(response->groups_size(), 3);
  EXPECT_EQ(response->groups(0).path(), "/A");
  EXPECT_EQ(response->groups(0).row(), 0u);
  EXPECT_EQ(response->groups(0).merge_group(), "m");
  EXPECT_EQ(response->groups(1).row(), 1u);
  EXPECT_TRUE(response->groups(1).inverted());
  EXPECT_FALSE(response->groups(1).has_merge_group());
  EXPECT_EQ(response->groups(2).row(), 0u);
  // A and C are one group, which collides with itself; B collides with nothing.
  ASSERT_EQ(response->enabled().size(), 2u);
  EXPECT_EQ(response->enabled()[0] & 3, 1);
  EXPECT_EQ(response->enabled()[1] & 3, 0);
  ASSERT_EQ(response->colliders_size(), 3);
  ASSERT_EQ(response->colliders(0).groups_size(), 2);
  EXPECT_EQ(response->colliders(0).groups(1), 1u);
  ASSERT_EQ(response->colliders(0).filtered_pairs_size(), 1);
  EXPECT_EQ(response->colliders(0).filtered_pairs(0), "/Body");
  EXPECT_EQ(response->colliders(1).groups_size(), 1);
  EXPECT_EQ(response->colliders(2).groups_size(), 0);
  ASSERT_EQ(response->path_errors_size(), 1);
  EXPECT_EQ(response->path_errors(0).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
}

TEST_F(PhysicsHandlerTest, ComputesMassesOfAllBodies) {
  v1::ComputeMassPropertiesRequest request;
  *request.mutable_stage() = stage_;
  request.set_with_colliders(true);
  const auto response = client().ComputeMassProperties(request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->bodies_size(), 1);
  const v1::RigidBodyMass& body = response->bodies(0);
  EXPECT_EQ(body.path(), "/Body");
  EXPECT_FLOAT_EQ(body.mass(), 800);
  EXPECT_EQ(body.center_of_mass_size(), 3);
  ASSERT_EQ(body.diagonal_inertia_size(), 3);
  EXPECT_FLOAT_EQ(body.diagonal_inertia(0), 533.33333f);
  ASSERT_EQ(body.principal_axes_size(), 4);
  EXPECT_EQ(body.principal_axes(0), 1);
  ASSERT_EQ(body.colliders_size(), 1);
  EXPECT_EQ(body.colliders(0).path(), "/Body/Box");
  EXPECT_EQ(body.colliders(0).material(), "/Steel");
  EXPECT_EQ(body.colliders(0).density(), 100);
  EXPECT_EQ(body.colliders(0).volume(), 8);
}

TEST_F(PhysicsHandlerTest, PathsMustBeRigidBodies) {
  v1::ComputeMassPropertiesRequest request;
  *request.mutable_stage() = stage_;
  for (const char* path : {"/Body/Box", "/Body", "/None"}) request.add_paths(path);
  const auto response = client().ComputeMassProperties(request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->bodies_size(), 3);
  EXPECT_EQ(response->bodies(0).path(), "/Body/Box");
  EXPECT_EQ(response->bodies(0).mass(), 0);
  EXPECT_FLOAT_EQ(response->bodies(1).mass(), 800);
  EXPECT_EQ(response->bodies(1).colliders_size(), 0);
  ASSERT_EQ(response->path_errors_size(), 2);
  EXPECT_EQ(response->path_errors(0).reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(response->path_errors(1).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
}

TEST_F(PhysicsHandlerTest, FindsMaterialsForPhysics) {
  v1::ComputeBoundMaterialsRequest request;
  *request.mutable_stage() = stage_;
  request.add_paths("/Body/Box");
  for (const char* purpose : {"physics", "full", ""}) request.add_purposes(purpose);
  const auto response = client().ComputeBoundMaterials(request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->material_size(), 3);
  EXPECT_EQ(response->material(0), 1u);
  EXPECT_EQ(response->material(1), 0u);
  EXPECT_EQ(response->material(2), 0u);
}

}  // namespace
}  // namespace stagedoor::server
