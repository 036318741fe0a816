#include "server/handlers/lod_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/strings.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class LodHandlerTest : public ServerTest {
 protected:
  LodHandlerTest() {
    Write("root.usda", R"(
def Scope "H" {
  def LODDistanceHeuristic "Distance" {
    uniform token lod:domain = "imaging"
    uniform float[] thresholds = [10, 20]
    uniform float[] blendThresholds = [12]
  }
  def LODScreenSizeHeuristic "Size" {
    uniform token lod:domain = "physics"
    uniform token projectionMethod = "projectedExtent"
    uniform float[] thresholds = [0.5, 0.1]
  }
}
def Xform "A" (
  prepend apiSchemas = ["LODRootAPI", "LODOverrideAPI"]
) {
  rel lod:heuristics = [</H/Size>, </H/Distance>]
  token lod:override:mode.timeSamples = { 1: "inherited", 7: "allLOD", 8: "noLOD" }
  def "High" {
  }
  def Xform "Low" (
    prepend apiSchemas = ["LODRootAPI"]
  ) {
    int lod:default:index = 3
    def "One" {
    }
    def "Two" {
    }
  }
}
def Camera "Camera" {
  double3 xformOp:translate.timeSamples = { 1: (0, 0, 5), 2: (0, 0, 11), 3: (0, 0, 30) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    *request_.mutable_stage() = Open(open);
    request_.set_camera("/Camera");
  }
  void AddTime(double time) { request_.mutable_times()->add_times()->set_numeric(time); }
  std::string Reason() { return ErrorReason(client().ComputeLevelsOfDetail(request_).status()); }

  // "DISTANCE 0.5 of 11 by /H/Distance\n" of each choice of a root, without what is not set.
  std::string Choices(int root = 0) {
    const auto response = client().ComputeLevelsOfDetail(request_);
    EXPECT_TRUE(response.ok()) << response.status();
    if (!response.ok() || root >= response->roots_size()) return "";
    std::string text;
    for (const v1::LodChoice& choice : response->roots(root).choices()) {
      text += v1::LodReason_Name(choice.reason()).substr(sizeof("LOD_REASON"));
      if (choice.shown() == v1::LOD_SHOWN_LEVELS) {
        text += Concat(" ", choice.level() + double{choice.blend()});
      } else {
        text += " " + v1::LodShown_Name(choice.shown()).substr(sizeof("LOD_SHOWN"));
      }
      if (!choice.heuristic().empty()) {
        text += Concat(" of ", choice.measure(), " by ", choice.heuristic());
      }
      if (!choice.override_prim().empty()) {
        text += Concat(" ", choice.override_mode(), " of ", choice.override_prim());
      }
      text += '\n';
    }
    return text;
  }

  v1::ComputeLevelsOfDetailRequest request_;
};

TEST_F(LodHandlerTest, ChoosesLevelsOfAllRoots) {
  for (const double time : {1, 2, 3, 7, 8}) AddTime(time);
  EXPECT_EQ(Choices(0),
            "DISTANCE 0 of 5 by /H/Distance\n"
            "DISTANCE 0.5 of 11 by /H/Distance\n"
            "DISTANCE 1 of 30 by /H/Distance\n"
            "OVERRIDE ALL allLOD of /A\n"
            "OVERRIDE NONE noLOD of /A\n");
  EXPECT_EQ(
      Choices(1),
      "DEFAULT 1\nDEFAULT 1\nDEFAULT 1\nOVERRIDE ALL allLOD of /A\nOVERRIDE NONE noLOD of /A\n");
  const auto response = client().ComputeLevelsOfDetail(request_);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->snapshot().size(), 32u);
  ASSERT_EQ(response->roots_size(), 2);
  EXPECT_EQ(response->roots(0).path(), "/A");
  EXPECT_EQ(response->roots(1).path(), "/A/Low");
  ASSERT_EQ(response->roots(0).levels_size(), 2);
  EXPECT_EQ(response->roots(0).levels(0), "High");
}

TEST_F(LodHandlerTest, PathsMustBeRoots) {
  for (const char* path : {"/A/Low", "/H", "/None"}) request_.add_paths(path);
  AddTime(1);
  EXPECT_EQ(Choices(0), "DEFAULT 1\n");
  const auto response = client().ComputeLevelsOfDetail(request_);
  ASSERT_TRUE(response.ok());
  ASSERT_EQ(response->roots_size(), 3);
  EXPECT_EQ(response->roots(1).choices_size(), 0);
  ASSERT_EQ(response->path_errors_size(), 2);
  EXPECT_EQ(response->path_errors(0).reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(response->path_errors(1).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
}

TEST_F(LodHandlerTest, SizesNeedAFrustum) {
  request_.set_domain("physics");
  AddTime(1);
  request_.clear_camera();
  v1::LodView& view = *request_.mutable_view();
  for (const double number : {0, 0, 3}) view.add_viewpoint(number);
  EXPECT_EQ(Choices(), "DEFAULT 0\n");
  for (int i = 0; i < 16; ++i) view.add_view_matrix(i % 5 == 0 ? 1 : 0);
  view.set_view_matrix(14, -3);
  for (const double number : {-1, -1, 1, 1}) view.add_window(number);
  for (const double number : {1, 100}) view.add_clipping_range(number);
  EXPECT_EQ(Choices(), "SCREEN_SIZE 1 of 0.25 by /H/Size\n");
  view.set_projection(v1::CAMERA_PROJECTION_ORTHOGRAPHIC);
  EXPECT_EQ(Choices(), "SCREEN_SIZE 0 of 1 by /H/Size\n");
  request_.clear_domain();
  EXPECT_EQ(Choices(), "DISTANCE 0 of 3 by /H/Distance\n");
}

TEST_F(LodHandlerTest, HysteresisRefersToTheTimeBefore) {
  for (const double time : {2, 1}) AddTime(time);
  request_.set_distance_hysteresis(2);
  EXPECT_EQ(Choices(), "DISTANCE 0.5 of 11 by /H/Distance\nDISTANCE 0 of 7 by /H/Distance\n");
  request_.set_distance_hysteresis(-1);
  EXPECT_EQ(Reason(), "INVALID_FIELD");
}

TEST_F(LodHandlerTest, RejectsIncompleteViews) {
  EXPECT_EQ(Reason(), "INVALID_TIME");
  AddTime(1);
  request_.set_camera("/A");
  EXPECT_EQ(Reason(), "WRONG_KIND");
  request_.set_camera("/None");
  EXPECT_EQ(Reason(), "PRIM_NOT_FOUND");
  request_.mutable_view();
  EXPECT_EQ(Reason(), "INVALID_FIELD");  // both
  request_.clear_camera();
  EXPECT_EQ(Reason(), "INVALID_FIELD");
  for (int i = 0; i < 16; ++i) request_.mutable_view()->add_view_matrix(1);
  for (const double number : {-1, -1, 1, 1}) request_.mutable_view()->add_window(number);
  for (const double number : {1, 100}) request_.mutable_view()->add_clipping_range(number);
  EXPECT_EQ(Reason(), "INVALID_FIELD");  // a singular matrix
  request_.clear_view();
  EXPECT_EQ(Reason(), "INVALID_FIELD");  // neither
}

}  // namespace
}  // namespace stagedoor::server
