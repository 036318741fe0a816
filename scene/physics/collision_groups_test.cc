#include "scene/physics/collision_groups.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class CollisionGroupsTest : public testing::Test {
 protected:
  // A row of 0 and 1 for each group, with the expectations of usd-core.
  std::string Table(std::string_view text) {
    scene_.Write("root.usda", text);
    stage_ = scene_.Open("root.usda");
    const auto table = CollisionGroupTable::Compute(scene_.context(), *stage_);
    EXPECT_TRUE(table.ok()) << table.status();
    if (!table.ok()) return "";
    std::string rows;
    for (size_t a = 0; a < table->groups().size(); ++a) {
      for (size_t b = 0; b < table->groups().size(); ++b) {
        rows += table->IsCollisionEnabled(a, b) ? '1' : '0';
      }
      rows += ' ';
    }
    return rows;
  }
  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(CollisionGroupsTest, FiltersTargets) {
  EXPECT_EQ(Table(R"(
def PhysicsCollisionGroup "A" {
  rel physics:filteredGroups = [</B>, </A>]
}
def PhysicsCollisionGroup "B" {
}
class PhysicsCollisionGroup "Class" {
}
def Scope "S" {
  def PhysicsCollisionGroup "C" {
  }
}
)"),
            "001 011 111 ");
}

TEST_F(CollisionGroupsTest, InvertedGroupsFilterAllOthers) {
  EXPECT_EQ(Table(R"(
def PhysicsCollisionGroup "A" {
  rel physics:filteredGroups = </B>
  bool physics:invertFilteredGroups = 1
}
def PhysicsCollisionGroup "B" {
}
def PhysicsCollisionGroup "C" {
}
)"),
            "010 111 011 ");
}

TEST_F(CollisionGroupsTest, MergedGroupsFilterTogether) {
  EXPECT_EQ(Table(R"(
def PhysicsCollisionGroup "A" {
  string physics:mergeGroup = "m"
}
def PhysicsCollisionGroup "B" {
  rel physics:filteredGroups = </C>
}
def PhysicsCollisionGroup "C" {
  string physics:mergeGroup = "m"
}
)"),
            "101 010 101 ");
}

TEST_F(CollisionGroupsTest, OtherTargetsStandForTheFirstGroup) {
  EXPECT_EQ(Table(R"(
def PhysicsCollisionGroup "A" {
}
def PhysicsCollisionGroup "B" {
  rel physics:filteredGroups = </None>
}
)"),
            "10 01 ");
}

TEST_F(CollisionGroupsTest, FindsTheGroupsOfColliders) {
  EXPECT_EQ(Table(R"(
def PhysicsCollisionGroup "A" {
  rel collection:colliders:includes = </W>
}
def PhysicsCollisionGroup "B" {
  rel collection:colliders:includes = </W>
  rel collection:colliders:excludes = </W/S>
}
def "W" {
  def "S" (
    prepend apiSchemas = ["PhysicsFilteredPairsAPI"]
  ) {
    rel physics:filteredPairs = </W>
  }
}
)"),
            "11 11 ");
  const auto table = CollisionGroupTable::Compute(scene_.context(), *stage_);
  ASSERT_TRUE(table.ok());
  CollisionGroupMembers members(scene_.context(), *table);
  EXPECT_EQ(members.GroupsOf(stage_->FindPrim(P("/W"))), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(members.GroupsOf(stage_->FindPrim(P("/W/S"))), (std::vector<uint32_t>{0}));
  EXPECT_EQ(members.GroupsOf(stage_->FindPrim(P("/A"))), (std::vector<uint32_t>{}));
  EXPECT_EQ(FilteredPairs(scene_.context(), stage_->FindPrim(P("/W/S"))),
            (std::vector<Path>{P("/W")}));
  EXPECT_TRUE(FilteredPairs(scene_.context(), stage_->FindPrim(P("/W"))).empty());
}

TEST_F(CollisionGroupsTest, RowsAreBytes) {
  std::string text;
  for (int i = 0; i < 9; ++i) text += Concat("def PhysicsCollisionGroup \"G", i, "\" {\n}\n");
  Table(text);
  const auto table = CollisionGroupTable::Compute(scene_.context(), *stage_);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->stride(), 2u);
  EXPECT_EQ(table->bits().size(), 18u);
}

}  // namespace
}  // namespace stagedoor
