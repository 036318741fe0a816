#include "scene/lod/lod_choice.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr std::string_view kHeuristics = R"(
def Scope "H" {
  def LODDistanceHeuristic "Physics" {
    uniform token lod:domain = "physics"
    uniform float[] thresholds = [1]
  }
  def LODScreenSizeHeuristic "Odd" {
    uniform token lod:domain = "imaging"
    uniform token projectionMethod = "odd"
  }
  def LODScreenSizeHeuristic "Size" {
    uniform token lod:domain = "imaging"
    uniform token projectionMethod = "projectedExtent"
    uniform float[] thresholds = [0.5, 0.1]
  }
  def LODDistanceHeuristic "Distance" {
    uniform token lod:domain = "imaging"
    uniform float[] thresholds = [10, 20, 30, 40, 50]
    uniform float[] blendThresholds = [12]
  }
  def Scope "Other" {
  }
}
)";

class LodChoiceTest : public testing::Test {
 protected:
  // A root with three levels, and an inactive and an abstract child.
  void Open(std::string_view properties) {
    scene_.Write("a.usda", Concat(kHeuristics, R"(
def "R" (
  prepend apiSchemas = ["LODRootAPI", "LODOverrideAPI"]
) {
)",
                                  properties, R"(
  def "High" {
  }
  class "Abstract" {
  }
  def "Middle" {
  }
  def "Off" (
    active = false
  ) {
  }
  def "Low" {
  }
}
)"));
    stage_ = scene_.Open("a.usda");
  }
  LodChoice Choose(double distance, bool with_volume = true, const LodChoice* previous = nullptr) {
    const Prim root = stage_->FindPrim(P("/R"));
    LodView view{.viewpoint = {0, 0, distance}, .distance_hysteresis = 3};
    Frustum frustum;
    frustum.min = {-1, -1};
    frustum.max = {1, 1};
    frustum.far = 1000;
    Matrix4d view_matrix = Matrix4d::Identity();
    view_matrix[3][2] = -distance;
    if (with_volume) view.volume.emplace(frustum, view_matrix);
    BBoxCache cache(TimeCode::Default(), {});
    return ChooseLod(scene_.context(), root, LodLevels(root).size(), "imaging",
                     Matrix4d::Identity(), view, cache, previous);
  }
  // "1.5 /H/Distance".
  std::string Text(double distance, bool with_volume = true) {
    const LodChoice choice = Choose(distance, with_volume);
    const std::string by = choice.heuristic.valid() ? choice.heuristic.PathText() : "";
    return Concat(choice.level, " ", by);
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(LodChoiceTest, LevelsAreChildren) {
  Open("");
  const Prim root = stage_->FindPrim(P("/R"));
  EXPECT_TRUE(IsLodRoot(root));
  EXPECT_FALSE(IsLodRoot(stage_->FindPrim(P("/H"))));
  std::string names;
  for (const Prim& level : LodLevels(root)) names += Concat(level.name().text(), " ");
  EXPECT_EQ(names, "High Middle Low ");
}

TEST_F(LodChoiceTest, TheFirstHeuristicOfTheDomainDecides) {
  Open(
      "rel lod:heuristics = [</Gone>, </H/Other>, </H/Physics>, </H/Odd>, </H/Size>, "
      "</H/Distance>]");
  EXPECT_EQ(Text(5), "2 /H/Size");  // (2 / 4) ^ 2 / 4
  EXPECT_EQ(Text(3), "1 /H/Size");
  EXPECT_EQ(Text(5, /*with_volume=*/false), "0 /H/Distance");
  EXPECT_EQ(Text(11, false), "0.5 /H/Distance");
  EXPECT_EQ(Text(25, false), "2 /H/Distance");
  EXPECT_EQ(Text(100, false), "2 /H/Distance");  // there are no more levels
  const LodChoice choice = Choose(11, false);
  EXPECT_EQ(choice.reason, LodChoice::Reason::kHeuristic);
  EXPECT_EQ(choice.kind, LodHeuristicKind::kDistance);
  EXPECT_EQ(choice.measure, 11);
}

TEST_F(LodChoiceTest, WithoutHeuristicTheDefaultCounts) {
  Open("rel lod:heuristics = </H/Physics>\nint lod:default:index = 1");
  EXPECT_EQ(Text(5), "1 ");
  EXPECT_EQ(Choose(5).reason, LodChoice::Reason::kDefault);
  Open("int lod:default:index = 9");
  EXPECT_EQ(Text(5), "2 ");
  Open("int lod:default:index = -9");
  EXPECT_EQ(Text(5), "0 ");
  Open("");
  EXPECT_EQ(Text(5), "0 ");
}

TEST_F(LodChoiceTest, OverridesComeFirst) {
  const auto open = [&](std::string_view mode, double index = 0) {
    Open(Concat("rel lod:heuristics = </H/Distance>\ntoken lod:override:mode = \"", mode,
                "\"\nfloat lod:override:index = ", index));
    return Choose(25);
  };
  EXPECT_EQ(open("indexedLOD", 0.5).level, 0.5F);
  EXPECT_EQ(open("indexedLOD", 7).level, 2);
  EXPECT_EQ(open("indexedLOD", -7).level, 0);
  EXPECT_EQ(open("indexedLOD").reason, LodChoice::Reason::kOverride);
  EXPECT_EQ(open("noLOD").shown, LodChoice::Shown::kNone);
  EXPECT_EQ(open("allLOD").shown, LodChoice::Shown::kAll);
  EXPECT_EQ(open("noOverride").level, 2);
  EXPECT_EQ(open("odd").reason, LodChoice::Reason::kHeuristic);
}

TEST_F(LodChoiceTest, HysteresisRefersToTheTimeBefore) {
  Open("rel lod:heuristics = </H/Distance>");
  const LodChoice previous = Choose(18);
  EXPECT_EQ(previous.level, 1);
  EXPECT_EQ(Choose(21, true, &previous).measure, 18);
  EXPECT_EQ(Choose(21, true, &previous).level, 1);
  EXPECT_EQ(Choose(24, true, &previous).measure, 21);
  Open("");
  EXPECT_EQ(Choose(24, true, &previous).reason, LodChoice::Reason::kDefault);
}

TEST_F(LodChoiceTest, ARootWithoutLevelsShowsNone) {
  scene_.Write("a.usda", "def \"R\" (\n  prepend apiSchemas = [\"LODRootAPI\"]\n) {\n}\n");
  stage_ = scene_.Open("a.usda");
  EXPECT_EQ(Choose(5).shown, LodChoice::Shown::kNone);
}

}  // namespace
}  // namespace stagedoor
