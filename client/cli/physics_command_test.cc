#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class PhysicsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"((
    metersPerUnit = 1
)
def PhysicsCollisionGroup "A"
{
    rel collection:colliders:includes = </Body>
    rel physics:filteredGroups = </B>
}
def PhysicsCollisionGroup "B"
{
    rel physics:filteredGroups = </B>
    string physics:mergeGroup = "m"
}
def Xform "Body" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{
    def Cube "Box" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI"]
    )
    {
        float physics:density = 3
        rel physics:filteredPairs = </Body>
    }
}
)");
  }
};

TEST_F(PhysicsCommandTest, PrintsGroups) {
  EXPECT_EQ(Printed(RunCollisionGroups, {"collision-groups", "/root.usda"}),
            "/A: collides with /A\n"
            "/B (merged as 'm'): collides with nothing\n");
  EXPECT_EQ(Printed(RunCollisionGroups, {"collision-groups", "/root.usda", "--format=json"}),
            "{\"path\":\"/A\",\"collides_with\":[\"/A\"],\"filters\":[\"/B\"],"
            "\"merge_group\":null}\n"
            "{\"path\":\"/B\",\"collides_with\":[],\"filters\":[\"/A\",\"/B\"],"
            "\"merge_group\":\"m\"}\n");
}

TEST_F(PhysicsCommandTest, PrintsTheGroupsOfPrims) {
  EXPECT_EQ(Printed(RunCollisionGroups, {"collision-groups", "/root.usda", "/Body/Box", "/A"}),
            "/Body/Box: in /A, filters /Body\n"
            "/A: in nothing\n");
}

TEST_F(PhysicsCommandTest, PrintsMasses) {
  EXPECT_EQ(Printed(RunMass, {"mass", "/root.usda"}),
            "/Body: mass 24 at (0, 0, 0), inertia (16, 16, 16)\n");
  EXPECT_EQ(Printed(RunMass, {"mass", "/root.usda", "/Body", "--colliders"}),
            "/Body/Box: mass 24, volume 8, density 3\n");
  EXPECT_EQ(Printed(RunMass, {"mass", "/root.usda", "--format=json"}),
            "{\"path\":\"/Body\",\"mass\":24,\"center_of_mass\":[0,0,0],"
            "\"diagonal_inertia\":[16,16,16],\"principal_axes\":[1,0,0,0]}\n");
  const absl::Status failure = Failure(RunMass, {"mass", "/root.usda", "/A"});
  EXPECT_NE(failure.message().find("PhysicsRigidBodyAPI"), std::string_view::npos);
}

}  // namespace
}  // namespace stagedoor
