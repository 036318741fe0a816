#include "scene/export/dependencies.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

// The files behind clip templates, and templates that stand for none because they are malformed.
TEST(DependenciesTest, AMalformedTemplateHidesNoOther) {
  TestScene scene;
  scene.Write("root.usda", R"(
def "P" (
  clips = {
    dictionary a = {
      string templateAssetPath = "./a.##.usda"
      double templateStartTime = 1
      double templateEndTime = 2
      double templateStride = -1
      string primPath = "/P"
    }
    dictionary b = {
      string templateAssetPath = "./b.##.usda"
      double templateStartTime = 1
      double templateEndTime = 2
      double templateStride = 1
      string primPath = "/P"
    }
  }
) {
}
)");
  for (const char* name : {"a.01.usda", "b.01.usda", "b.02.usda"}) {
    scene.Write(name, "def \"P\" {\n}\n");
  }
  const auto found = ComputeDependencies(scene.context(), scene.layers(), {}, "/root.usda");
  ASSERT_TRUE(found.ok()) << found.status();
  std::vector<std::string> clips;
  for (const Dependency& use : found->uses) {
    if (use.use == DependencyType::kClip && use.layer != nullptr) clips.push_back(use.resolved);
  }
  std::sort(clips.begin(), clips.end());
  EXPECT_EQ(clips, (std::vector<std::string>{"/b.01.usda", "/b.02.usda"}));
}

TEST(DependenciesTest, WhatOpensAsALayerIsOneWhateverItsName) {
  TestScene scene;
  scene.Write("root.usda", "def \"P\" {\n}\n");
  const auto found = ComputeDependencies(scene.context(), scene.layers(), {}, "/root.usda");
  ASSERT_TRUE(found.ok()) << found.status();
  Dependency use{.use = DependencyType::kValue, .authored = "a.txt", .resolved = "/a.txt"};
  EXPECT_FALSE(use.IsLayer());
  use.layer = found->root;
  EXPECT_TRUE(use.IsLayer());
}

}  // namespace
}  // namespace stagedoor
