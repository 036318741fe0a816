#include "scene/lod/lod_heuristic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "scene/lod/lod_tokens.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

constexpr std::string_view kVolumes = R"(
def Cube "Cube" {
  double size = 4
}
def Cube "Authored" {
  float3[] extent = [(-3, -3, -3), (3, 3, 3)]
  double3 xformOp:translate = (50, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Mesh "Empty" {
}
def Mesh "Three" {
  float3[] extent = [(1, 1, 1), (2, 2, 2), (3, 3, 3)]
}
def Mesh "Inverted" {
  float3[] extent = [(1, 1, 1), (-2, 2, 2)]
}
def Xform "X" {
  float3[] extent = [(-2, -2, -2), (2, 2, 2)]
  rel forward = </Authored>
}
)";

class LodHeuristicTest : public testing::Test {
 protected:
  // A stage with the heuristic /H.
  void Open(std::string_view type, std::string_view properties) {
    scene_.Write("a.usda", Concat(kVolumes, "def ", type, " \"H\" {\n", properties, "\n}\n"));
    stage_ = scene_.Open("a.usda");
  }
  LodHeuristic Read(TimeCode time = TimeCode::Default()) {
    BBoxCache cache(time, {});
    return ReadLodHeuristic(scene_.context(), stage_->FindPrim(P("/H")), cache);
  }
  // The maximum x of the extent for these targets; "empty" if there is none.
  std::string Extent(std::string_view targets) {
    Open("LODDistanceHeuristic", Concat("rel boundingVolume = ", targets));
    const Range3d extent = Read().extent;
    return extent.empty() ? "empty" : Concat(extent.max[0]);
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

// The expectations in this file are results of usd-core.

TEST_F(LodHeuristicTest, ExtentsAreThoseOfTheFirstBoundableTarget) {
  EXPECT_EQ(Extent("</Cube>"), "2");
  EXPECT_EQ(Extent("</Authored>"), "3");
  EXPECT_EQ(Extent("</X.forward>"), "3");
  EXPECT_EQ(Extent("[</Gone>, </X>, </Empty>, </Three>, </Authored>, </Cube>]"), "3");
  EXPECT_EQ(Extent("</X>"), "empty");
  EXPECT_EQ(Extent("[</Inverted>, </Cube>]"), "empty");
  EXPECT_EQ(Extent("</Cube.size>"), "empty");
  EXPECT_EQ(Extent("[]"), "empty");
}

TEST_F(LodHeuristicTest, DistancesHaveACenter) {
  Open("LODDistanceHeuristic", R"(
    uniform token lod:domain = "imaging"
    point3f center.timeSamples = { 1: (0, 0, 0), 3: (2, 2, 2), 9: None }
    uniform float[] thresholds = [1, 5]
    uniform float[] thresholds.timeSamples = { 1: [2, 3], 5: [3, 4] })");
  EXPECT_EQ(Read().domain.text(), "imaging");
  EXPECT_EQ(Read().thresholds, (Array<float>{1, 5}));
  EXPECT_EQ(Read(TimeCode::At(2)).thresholds, (Array<float>{2.25, 3.25}));
  EXPECT_EQ(Read(TimeCode::At(2)).center, (Vec3f{1, 1, 1}));
  EXPECT_EQ(Read(TimeCode::At(10)).center, (Vec3f{0, 0, 0}));
  Open("LODDistanceHeuristic", "uniform double[] thresholds = [1, 2]\ndouble3 center = (4, 4, 4)");
  EXPECT_EQ(Read().thresholds.size(), 0u);
  EXPECT_EQ(Read().center, (Vec3f{0, 0, 0}));
  EXPECT_TRUE(Read().domain.empty());
}

TEST_F(LodHeuristicTest, SizesHaveAnExtentOfTheirOwn) {
  Open("LODScreenSizeHeuristic", "");
  EXPECT_EQ(Read().extent, (Range3d{{-1, -1, -1}, {1, 1, 1}}));
  EXPECT_EQ(Read().projection_method, Lod().projectedSphere);
  Open("LODScreenSizeHeuristic", R"(
    rel boundingVolume = [</X>, </Empty>]
    float3[] extent.timeSamples = { 1: [(1, 1, 1), (2, 2, 2)], 3: [(2, 2, 2), (4, 4, 4)] }
    uniform token projectionMethod = "projectedExtent")");
  EXPECT_EQ(Read(TimeCode::At(2)).extent, (Range3d{{1.5, 1.5, 1.5}, {3, 3, 3}}));
  EXPECT_EQ(Read().projection_method, Lod().projectedExtent);
  Open("LODScreenSizeHeuristic", "rel boundingVolume = </Inverted>");
  EXPECT_TRUE(Read().extent.empty());
  Open("LODScreenSizeHeuristic", "float3[] extent = [(1, 1, 1)]");
  EXPECT_TRUE(Read().extent.empty());
  EXPECT_EQ(LodHeuristicKindOf(stage_->FindPrim(P("/H"))), LodHeuristicKind::kScreenSize);
  EXPECT_EQ(LodHeuristicKindOf(stage_->FindPrim(P("/X"))), std::nullopt);
}

TEST_F(LodHeuristicTest, DistancesAreInWorldSpace) {
  LodHeuristic heuristic;
  heuristic.center = {1, 2, 3};
  const Matrix4d one = Matrix4d::Identity();
  EXPECT_DOUBLE_EQ(LodDistance(heuristic, {0, 0, 0}, one), std::sqrt(14));
  EXPECT_DOUBLE_EQ(LodDistance(heuristic, {0, 0, 0}, ScaleMatrix({2, 1, 1})), std::sqrt(17));
  heuristic.extent = {{-1, -1, -1}, {1, 1, 1}};
  EXPECT_EQ(LodDistance(heuristic, {0, 0.5, 0}, one), 0);
  EXPECT_DOUBLE_EQ(LodDistance(heuristic, {3, 3, 0}, one), std::sqrt(8));
  EXPECT_DOUBLE_EQ(LodDistance(heuristic, {3, 3, 0}, ScaleMatrix({2, 1, 1})), std::sqrt(5));
  EXPECT_DOUBLE_EQ(LodDistance(heuristic, {3, 0, 0}, AxisRotationMatrix({0, 0, 1}, 45)),
                   1.585786437626905);
  // Without an inverse, the center counts.
  EXPECT_DOUBLE_EQ(LodDistance(heuristic, {0, 0, 0}, ScaleMatrix({0, 1, 1})), std::sqrt(13));
  EXPECT_DOUBLE_EQ(LodDistance(heuristic, {3, 0, 0}, ScaleMatrix({1e-4, 1e-4, 1e-4})),
                   2.9999000216673886);
}

TEST_F(LodHeuristicTest, UnknownProjectionMethodsAreOfNoUse) {
  LodHeuristic heuristic;
  heuristic.kind = LodHeuristicKind::kScreenSize;
  heuristic.projection_method = Token("odd");
  Frustum frustum;
  frustum.min = {-1, -1};
  frustum.max = {1, 1};
  const ViewVolume view(frustum, Matrix4d::Identity());
  EXPECT_EQ(LodScreenSize(heuristic, view, TranslationMatrix({0, 0, -5})), 0);
  heuristic.extent = {{-1, -1, -1}, {1, 1, 1}};
  EXPECT_EQ(LodScreenSize(heuristic, view, TranslationMatrix({0, 0, -5})), std::nullopt);
  heuristic.projection_method = Lod().projectedExtent;
  EXPECT_DOUBLE_EQ(*LodScreenSize(heuristic, view, TranslationMatrix({0, 0, -5})), 0.0625);
}

TEST_F(LodHeuristicTest, LevelsFollowFromMeasures) {
  LodHeuristic heuristic;
  heuristic.thresholds = {10, 50};
  EXPECT_EQ(LevelOf(heuristic, 20), 1);
  heuristic.kind = LodHeuristicKind::kScreenSize;
  heuristic.thresholds = {0.5, 0.25};
  heuristic.blend_thresholds = {0.25};
  EXPECT_EQ(LevelOf(heuristic, 0.375), 0.5F);
}

}  // namespace
}  // namespace stagedoor
