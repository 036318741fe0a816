#include "scene/stage/rule_regions.h"

#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class RuleRegionsTest : public testing::Test {
 protected:
  RuleRegionsTest() {
    scene_.Write("a.usda", R"(
def Xform "Model" {
  def Xform "Part" {
    def Mesh "Face" {}
  }
}
def Xform "World" {
  def Xform "A" (
    instanceable = true
    references = </Model>
  ) {}
  def Xform "B" (
    instanceable = true
    references = </Model>
  ) {}
  def Xform "Plain" {
    def Xform "Child" {}
  }
}
)");
    stage_ = scene_.Open("a.usda");
  }
  void AddRule(std::string_view path) {
    CollectionRules rules;
    rules.Set(P(path), CollectionRule::kExpandPrims);
    EXPECT_TRUE(regions_.Add(rules));
  }
  // The path of the region, with "+" for what is below it.
  std::string RegionOf(std::string_view path) {
    const RuleRegions::Region region = regions_.Of(stage_->FindPrim(path));
    return Concat(region.path.empty() ? "none" : region.path.ToString(),
                  region.is_below ? "+" : "");
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  RuleRegions regions_{scene_.context()};
};

TEST_F(RuleRegionsTest, TheClosestRuleMakesTheRegion) {
  AddRule("/World");
  AddRule("/World/Plain/Child");
  EXPECT_EQ(RegionOf("/Model"), "none+");
  EXPECT_EQ(RegionOf("/World"), "/World");
  EXPECT_EQ(RegionOf("/World/Plain"), "/World+");
  EXPECT_EQ(RegionOf("/World/Plain/Child"), "/World/Plain/Child");
}

TEST_F(RuleRegionsTest, ARuleAtTheRootAppliesToAll) {
  AddRule("/");
  EXPECT_EQ(RegionOf("/World/A/Part"), "/+");
}

TEST_F(RuleRegionsTest, InstancesWithoutRulesAreOneRegion) {
  AddRule("/World/A");
  AddRule("/World/B/Part");
  const size_t paths = PathStats().count;
  EXPECT_EQ(RegionOf("/World/A/Part"), "/World/A+");
  EXPECT_EQ(RegionOf("/World/A/Part/Face"), "/World/A+");
  EXPECT_EQ(PathStats().count, paths) << "no path was created";
  EXPECT_EQ(RegionOf("/World/B"), "none+");
  EXPECT_EQ(RegionOf("/World/B/Part"), "/World/B/Part");
  EXPECT_EQ(RegionOf("/World/B/Part/Face"), "/World/B/Part+");
}

}  // namespace
}  // namespace stagedoor
