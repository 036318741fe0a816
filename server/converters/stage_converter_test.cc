#include "server/converters/stage_converter.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_session.h"

namespace stagedoor::server {
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

TEST(StageConverterTest, CompositionErrorsStopWhenTheBudgetIsUsedUp) {
  TestScene scene;
  const auto stage = StageWithErrors(scene);
  ASSERT_TRUE(stage);
  ReplyBudget budget(scene.context(), 5000, "ask for less");
  v1::Stage out;
  FillCompositionErrors(*stage, budget, &out);
  EXPECT_FALSE(budget.ok());
  EXPECT_LT(out.composition_errors_size(), 100);
}

class FillStageTest : public ::testing::Test {
 protected:
  v1::Stage Sent(const char* root, StageOptions options = {}) {
    const auto stage = scene_.Open(root, std::move(options));
    v1::Stage out;
    if (stage != nullptr) FillStage(StageSnapshot(7, "f7", stage, 0), budget_, &out);
    EXPECT_TRUE(budget_.ok()) << budget_.status();
    return out;
  }

  TestScene scene_;
  ReplyBudget budget_{scene_.context(), 1 << 20, "ask for less"};
};

TEST_F(FillStageTest, FillsTheRootLayersFields) {
  scene_.Write("a.usda", R"((
    defaultPrim = "World"
    endTimeCode = 48
    framesPerSecond = 25
    startTimeCode = 2
    timeCodesPerSecond = 50
)
def "World" {}
)");
  const v1::Stage stage = Sent("a.usda");
  EXPECT_EQ(stage.id(), "7");
  EXPECT_EQ(stage.snapshot(), "f7");
  EXPECT_EQ(stage.root_layer(), "/a.usda");
  EXPECT_EQ(stage.session_layer(), "");
  EXPECT_EQ(stage.default_prim(), "/World");
  EXPECT_EQ(stage.start_time_code(), 2);
  EXPECT_EQ(stage.end_time_code(), 48);
  EXPECT_EQ(stage.time_codes_per_second(), 50);
  EXPECT_EQ(stage.frames_per_second(), 25);
  EXPECT_EQ(stage.interpolation(), v1::INTERPOLATION_LINEAR);
  EXPECT_GE(budget_.message_bytes(), sizeof(v1::Stage) + 13);
}

TEST_F(FillStageTest, TimeCodesAreAbsentUnlessAuthored) {
  for (const std::string metadata : {"", "(startTimeCode = 0)\n", "(endTimeCode = 0)\n",
                                     "(startFrame = 1)\n", "(endFrame = 1)\n"}) {
    scene_.Write("a.usda", Concat(metadata, "def \"World\" {}\n"));
    const v1::Stage stage = Sent("a.usda");
    EXPECT_EQ(stage.has_start_time_code(), metadata.find("start") != std::string::npos) << metadata;
    EXPECT_EQ(stage.has_end_time_code(), metadata.find("end") != std::string::npos) << metadata;
    EXPECT_EQ(stage.default_prim(), "") << "none is authored";
  }
}

TEST_F(FillStageTest, SessionLayerIsNamedAsRequested) {
  scene_.Write("a.usda", "(subLayers = [@./b.usda@])\n");
  scene_.Write("b.usda", "");
  scene_.Write("session.usda", "(subLayers = [@./more.usda@])\n");
  scene_.Write("more.usda", "");
  StageOptions options;
  options.session = "/session.usda";
  options.interpolation = Interpolation::kHeld;
  const v1::Stage stage = Sent("a.usda", options);
  EXPECT_EQ(stage.session_layer(), "/session.usda");
  EXPECT_EQ(stage.interpolation(), v1::INTERPOLATION_HELD);
}

TEST_F(FillStageTest, UsedLayersAreSorted) {
  scene_.Write("a.usda", "(subLayers = [@./z.usda@, @./b.usda@])\n");
  scene_.Write("z.usda", "");
  scene_.Write("b.usda", "");
  const auto stage = scene_.Open("a.usda");
  ASSERT_NE(stage, nullptr);
  v1::Stage out;
  FillUsedLayers(*stage, budget_, &out);
  EXPECT_EQ(std::vector<std::string>(out.used_layers().begin(), out.used_layers().end()),
            (std::vector<std::string>{"/a.usda", "/b.usda", "/z.usda"}));
}

TEST_F(FillStageTest, MetadataOmitsFieldsOfTheMessage) {
  scene_.Write("a.usda", R"((
    customLayerData = { string by = "us" }
    defaultPrim = "World"
    metersPerUnit = 0.5
    startTimeCode = 1
    subLayers = [@./b.usda@]
)
def "World" {}
)");
  scene_.Write("b.usda", "");
  const auto stage = scene_.Open("a.usda");
  ASSERT_NE(stage, nullptr);
  v1::Stage out;
  FillStageMetadata(*stage, budget_, &out);
  std::set<std::string> names;
  for (const v1::Field& field : out.metadata()) names.insert(field.name());
  EXPECT_EQ(names, (std::set<std::string>{"customLayerData", "metersPerUnit"}));
}

TEST_F(FillStageTest, SessionFillsNameAndInterpolation) {
  scene_.Write("a.usda", "def \"World\" {}\n");
  StageCache cache(scene_.environment(), {});
  StageKey stage_key;
  stage_key.options.root = "/a.usda";
  stage_key.options.interpolation = Interpolation::kHeld;
  const auto opened = cache.Open(scene_.context(), stage_key);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const auto session =
      std::make_shared<StageSession>(cache, stage_key, "routing", opened->snapshot, "layout");
  const SessionLease one(session), two(session);
  v1::Stage out;
  FillStage(*session->Newest(), budget_, &out);
  EXPECT_EQ(out.lease_count(), 2u);
  out.clear_interpolation();
  FillSession(*session, &out);
  EXPECT_EQ(out.interpolation(), v1::INTERPOLATION_HELD);
  EXPECT_EQ(out.session(), "layout");
}

}  // namespace
}  // namespace stagedoor::server
