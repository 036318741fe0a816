// Load rules and population masks without a stage. Expected results come from Usd.StageLoadRules
// and Usd.StagePopulationMask.
#include "scene/stage/load_rules.h"

#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "scene/stage/population_mask.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class LoadRulesTest : public testing::Test {
 protected:
  void LoadNone() { rules_ = LoadRules::None(); }
  void LoadAll() { rules_ = LoadRules::All(); }
  void Load(std::string_view path) { rules_.Load(P(path), /*with_descendants=*/true); }
  void LoadWithoutDescendants(std::string_view path) { rules_.Load(P(path), false); }
  void Unload(std::string_view path) { rules_.Unload(P(path)); }
  bool IsLoaded(std::string_view path) { return rules_.IsLoaded(P(path)); }

  LoadRules rules_;
};

TEST_F(LoadRulesTest, EverythingIsLoadedWithoutRules) {
  EXPECT_TRUE(IsLoaded("/A"));
  EXPECT_TRUE(IsLoaded("/A/B"));
  EXPECT_TRUE(rules_.loads_all());
  LoadNone();
  EXPECT_FALSE(IsLoaded("/A"));
  EXPECT_FALSE(rules_.loads_all());
}

TEST_F(LoadRulesTest, TheNearestRuleAboveDecides) {
  Unload("/A");
  Load("/A/B");
  Unload("/A/B/C");
  EXPECT_TRUE(IsLoaded("/A/B"));
  EXPECT_TRUE(IsLoaded("/A/B/D"));
  EXPECT_FALSE(IsLoaded("/A/B/C"));
  EXPECT_FALSE(IsLoaded("/A/B/C/D"));
  EXPECT_FALSE(IsLoaded("/A/X"));
  EXPECT_TRUE(IsLoaded("/AB"));
}

TEST_F(LoadRulesTest, AncestorsOfLoadedPrimsAreLoaded) {
  LoadNone();
  Load("/A/B/C");
  EXPECT_TRUE(IsLoaded("/A"));
  EXPECT_TRUE(IsLoaded("/A/B"));
  EXPECT_FALSE(IsLoaded("/A/X"));
  EXPECT_FALSE(IsLoaded("/A/BB"));
  EXPECT_FALSE(IsLoaded("/Z"));
}

TEST_F(LoadRulesTest, LoadWithoutDescendantsLoadsThePrimAlone) {
  LoadNone();
  LoadWithoutDescendants("/A");
  EXPECT_TRUE(IsLoaded("/A"));
  EXPECT_FALSE(IsLoaded("/A/B"));
  LoadAll();
  LoadWithoutDescendants("/A");
  EXPECT_TRUE(IsLoaded("/A"));
  EXPECT_FALSE(IsLoaded("/A/B"));
  EXPECT_TRUE(IsLoaded("/B"));
}

TEST_F(LoadRulesTest, NewRulesReplaceRulesOfDescendants) {
  LoadNone();
  Load("/A/B");
  Unload("/A");
  EXPECT_FALSE(IsLoaded("/A"));
  EXPECT_FALSE(IsLoaded("/A/B"));
  Unload("/A/B");
  Load("/A");
  EXPECT_TRUE(IsLoaded("/A/B"));
  Unload("/A");
  Load("/A/B");
  LoadWithoutDescendants("/A");
  EXPECT_FALSE(IsLoaded("/A/B"));
}

TEST_F(LoadRulesTest, NewRulesKeepRulesOfSiblings) {
  LoadNone();
  Load("/A/B");
  Load("/A/BB");
  Unload("/A/B");
  EXPECT_FALSE(IsLoaded("/A/B"));
  EXPECT_TRUE(IsLoaded("/A/BB"));
}

TEST_F(LoadRulesTest, LoadingTheRootLoadsAll) {
  LoadNone();
  Unload("/A");
  Load("/");
  EXPECT_TRUE(IsLoaded("/A"));
  EXPECT_TRUE(IsLoaded("/"));
}

// The descendants of two prims are loaded alike if their keys are equal.
TEST_F(LoadRulesTest, KeysDifferIfLoadingDiffers) {
  const auto key = [&](std::string_view path) { return rules_.KeyBelow(P(path)); };
  EXPECT_EQ(key("/A"), key("/B"));
  Unload("/A/X");
  EXPECT_NE(key("/A"), key("/B"));
  Unload("/B/X");
  EXPECT_EQ(key("/A"), key("/B"));
  LoadWithoutDescendants("/B/X");
  EXPECT_NE(key("/A"), key("/B"));
  Unload("/AA/X");
  LoadAll();
  Unload("/A");
  EXPECT_NE(key("/A"), key("/B"));
}

class PopulationMaskTest : public testing::Test {
 protected:
  void Mask(const std::vector<std::string_view>& paths) {
    std::vector<Path> all;
    for (const std::string_view path : paths) all.push_back(P(path));
    mask_ = PopulationMask(all);
  }
  bool Includes(std::string_view path) { return mask_.Includes(P(path)); }
  bool IncludesSubtree(std::string_view path) { return mask_.IncludesSubtree(P(path)); }

  PopulationMask mask_;
};

TEST_F(PopulationMaskTest, IncludesAncestorsAndDescendantsOfItsPaths) {
  Mask({"/A/B", "/A/B/C", "/D"});
  EXPECT_TRUE(Includes("/"));
  EXPECT_TRUE(Includes("/A"));
  EXPECT_TRUE(Includes("/A/B"));
  EXPECT_TRUE(Includes("/A/B/X/Y"));
  EXPECT_TRUE(Includes("/D/E"));
  EXPECT_FALSE(Includes("/A/BB"));
  EXPECT_FALSE(Includes("/AB"));
  EXPECT_FALSE(Includes("/A/A"));
  EXPECT_FALSE(Includes("/E"));
}

TEST_F(PopulationMaskTest, IncludesSubtreesBelowItsPathsOnly) {
  Mask({"/A/B", "/D"});
  EXPECT_FALSE(IncludesSubtree("/"));
  EXPECT_FALSE(IncludesSubtree("/A"));
  EXPECT_TRUE(IncludesSubtree("/A/B"));
  EXPECT_TRUE(IncludesSubtree("/A/B/C"));
  EXPECT_TRUE(IncludesSubtree("/D"));
  EXPECT_FALSE(IncludesSubtree("/C"));
}

TEST_F(PopulationMaskTest, EmptyMaskIncludesNothing) {
  Mask({});
  EXPECT_FALSE(Includes("/A"));
  EXPECT_FALSE(IncludesSubtree("/"));
  Mask({"/"});
  EXPECT_TRUE(IncludesSubtree("/A"));
  EXPECT_TRUE(mask_.IncludesAll());
}

TEST_F(PopulationMaskTest, KeysDifferIfInclusionDiffers) {
  Mask({"/A/X", "/B/X", "/C", "/AA/Y"});
  EXPECT_EQ(mask_.KeyBelow(P("/A")), mask_.KeyBelow(P("/B")));
  EXPECT_NE(mask_.KeyBelow(P("/A")), mask_.KeyBelow(P("/AA")));
  EXPECT_NE(mask_.KeyBelow(P("/A")), mask_.KeyBelow(P("/C")));
}

}  // namespace
}  // namespace stagedoor
