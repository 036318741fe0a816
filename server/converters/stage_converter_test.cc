#include "server/converters/stage_converter.h"

#include <string>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr int kErrors = 1000;

std::shared_ptr<const Stage> StageWithErrors(TestScene& scene) {
  std::string list;
  for (int i = 0; i < kErrors; ++i) list += Concat("@./gone", i, ".usda@,");
  scene.Write("a.usda", Concat("def \"A\" (references = [", list, "])\n{\n}\n"));
  return scene.Open("a.usda");
}

TEST(StageConverterTest, CompositionErrorsAreFilledInOneByOne) {
  TestScene scene;
  const auto stage = StageWithErrors(scene);
  ASSERT_TRUE(stage);
  ReplyBudget budget(scene.context(), size_t{1} << 20, "ask for less");
  v1::Stage out;
  FillCompositionErrors(*stage, budget, &out);
  ASSERT_EQ(out.composition_errors_size(), kErrors);
  EXPECT_EQ(out.composition_errors(0).type(), "InvalidAssetPath");
  EXPECT_EQ(out.composition_errors(0).prim_path(), "/A");
  EXPECT_NE(out.composition_errors(0).message().find("gone0"), std::string::npos);
}

TEST(StageConverterTest, CompositionErrorsEndWithTheBudget) {
  TestScene scene;
  const auto stage = StageWithErrors(scene);
  ASSERT_TRUE(stage);
  ReplyBudget budget(scene.context(), 5000, "ask for less");
  v1::Stage out;
  FillCompositionErrors(*stage, budget, &out);
  EXPECT_FALSE(budget.ok());
  EXPECT_LT(out.composition_errors_size(), 100);
}

}  // namespace
}  // namespace stagedoor
