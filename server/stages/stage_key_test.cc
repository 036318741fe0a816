#include "server/stages/stage_key.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

TEST(StageKeyTest, WhateverChangesCompositionChangesTheKey) {
  const std::vector<std::function<void(StageRecipe&)>> changes = {
      [](StageRecipe&) {},
      [](StageRecipe& r) { r.options.root = "/s.usda"; },
      [](StageRecipe& r) { r.options.session = "/s.usda"; },
      [](StageRecipe& r) { r.session_content = "/s.usda"; },
      [](StageRecipe& r) { r.options.load = LoadRules::None(); },
      [](StageRecipe& r) { r.options.load.Set(P("/A"), LoadRules::Rule::kNone); },
      [](StageRecipe& r) { r.options.load.Set(P("/A"), LoadRules::Rule::kOnly); },
      [](StageRecipe& r) { r.options.mask = PopulationMask({P("/A")}); },
      [](StageRecipe& r) {
        r.options.variant_fallbacks = {{"a", {"b", "c"}}};
      },
      [](StageRecipe& r) {
        r.options.variant_fallbacks = {{"a", {"b"}}, {"c", {}}};
      },
      [](StageRecipe& r) {
        r.options.variant_fallbacks = {{"a", {"bc"}}};
      },
      [](StageRecipe& r) { r.options.muted_layers = {"ab"}; },
      [](StageRecipe& r) {
        r.options.muted_layers = {"a", "b"};
      },
  };
  std::set<std::string> keys;
  for (const auto& change : changes) {
    StageRecipe recipe;
    recipe.options.root = "/r.usda";
    change(recipe);
    EXPECT_TRUE(keys.insert(recipe.Key()).second) << recipe.Key();
    EXPECT_EQ(recipe.Key(), StageRecipe(recipe).Key());
  }
}

TEST(StageKeyTest, StagesAreSharedWhateverTheInterpolation) {
  StageRecipe linear, held;
  held.options.interpolation = Interpolation::kHeld;
  EXPECT_EQ(linear.Key(), held.Key());
}

}  // namespace
}  // namespace stagedoor
