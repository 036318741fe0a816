#include "server/handlers/camera_handler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class CameraHandlerTest : public ServerTest {
 protected:
  CameraHandlerTest() {
    Write("root.usda", R"(
def Xform "X" {
  double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 10: (10, 0, 0) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Camera "C" {
    float focalLength = 40
    float horizontalAperture = 36
    float verticalAperture = 24
    float horizontalApertureOffset = 2
    float verticalApertureOffset = -1
    float2 clippingRange = (1, 3)
    float4[] clippingPlanes.timeSamples = { 0: [(1, 0, 0, 5)], 10: [(0, 1, 0, 6), (0, 0, 1, 7)] }
    float fStop = 2.8
    float focusDistance = 12
    double shutter:open = -0.25
    double shutter:close = 0.5
    float exposure = 1
    uniform token stereoRole = "right"
  }
}
def Camera "O" {
  token projection = "orthographic"
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    stage_ = Open(open);
  }
  v1::ComputeCamerasRequest Ask(const std::vector<std::string>& paths,
                                const std::vector<double>& frames) {
    return RequestFor<v1::ComputeCamerasRequest>(stage_, paths, frames);
  }
  // The windows of /X/C at one time.
  std::vector<double> Window(double aspect_ratio, v1::ConformPolicy policy) {
    auto request = Ask({"/X/C"}, {0});
    request.set_aspect_ratio(aspect_ratio);
    request.set_conform_policy(policy);
    const auto reply = client().ComputeCameras(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? Unpack<double>(reply->window()) : std::vector<double>();
  }
  static void ExpectNear(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  }

  v1::StageRef stage_;
};

TEST_F(CameraHandlerTest, ReturnsCamerasAtTimes) {
  const auto reply = client().ComputeCameras(Ask({"/X/C", "/O"}, {0, 10}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->snapshot().size(), 32u);
  ASSERT_EQ(reply->projection_size(), 4);
  EXPECT_EQ(reply->projection(1), v1::CAMERA_PROJECTION_PERSPECTIVE);
  EXPECT_EQ(reply->projection(2), v1::CAMERA_PROJECTION_ORTHOGRAPHIC);
  EXPECT_EQ(Unpack<double>(reply->local_to_world())[16 + 12], 10);
  EXPECT_EQ(reply->focal_length(0), 40);
  EXPECT_EQ(reply->focal_length(3), 50);
  EXPECT_EQ(reply->horizontal_aperture(1), 36);
  EXPECT_EQ(reply->vertical_aperture(1), 24);
  EXPECT_EQ(reply->horizontal_aperture_offset(1), 2);
  EXPECT_EQ(reply->vertical_aperture_offset(1), -1);
  EXPECT_EQ(Unpack<float>(reply->clipping_range()),
            (std::vector<float>{1, 3, 1, 3, 1, 1000000, 1, 1000000}));
  EXPECT_EQ(std::vector<uint32_t>(reply->clipping_plane_count().begin(),
                                  reply->clipping_plane_count().end()),
            (std::vector<uint32_t>{1, 2, 0, 0}));
  EXPECT_EQ(Unpack<float>(reply->clipping_planes()),
            (std::vector<float>{1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7}));
  EXPECT_EQ(reply->f_stop(0), 2.8F);
  EXPECT_EQ(reply->focus_distance(0), 12);
  EXPECT_EQ(reply->shutter_open(0), -0.25);
  EXPECT_EQ(reply->shutter_close(0), 0.5);
  EXPECT_EQ(reply->exposure(0), 1);
  EXPECT_EQ(reply->linear_exposure_scale(0), 2);
  EXPECT_EQ(std::vector<std::string>(reply->stereo_role().begin(), reply->stereo_role().end()),
            (std::vector<std::string>{"right", "mono"}));
}

TEST_F(CameraHandlerTest, ReturnsFrustums) {
  const auto reply = client().ComputeCameras(Ask({"/X/C"}, {10}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  ExpectNear(Unpack<double>(reply->window()), {-0.4, -0.325, 0.5, 0.275});
  ExpectNear(Unpack<double>(reply->field_of_view()), {48.45549, 33.398488468});
  ExpectNear(Unpack<double>(reply->view_matrix()),
             {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -10, 0, 0, 1});
  ExpectNear(Unpack<double>(reply->projection_matrix()),
             {2 / 0.9, 0, 0, 0, 0, 2 / 0.6, 0, 0, 0.1 / 0.9, -0.05 / 0.6, -2, -1, 0, 0, -3, 0});
}

TEST_F(CameraHandlerTest, WindowsAreFittedToTheAspectRatio) {
  ExpectNear(Window(0, v1::CONFORM_POLICY_CROP), {-0.4, -0.325, 0.5, 0.275});
  ExpectNear(Window(3, v1::CONFORM_POLICY_UNSPECIFIED), {-0.85, -0.325, 0.95, 0.275});
  ExpectNear(Window(3, v1::CONFORM_POLICY_FIT), {-0.85, -0.325, 0.95, 0.275});
  ExpectNear(Window(3, v1::CONFORM_POLICY_CROP), {-0.4, -0.175, 0.5, 0.125});
  ExpectNear(Window(1, v1::CONFORM_POLICY_MATCH_VERTICALLY), {-0.25, -0.325, 0.35, 0.275});
  ExpectNear(Window(1, v1::CONFORM_POLICY_MATCH_HORIZONTALLY), {-0.4, -0.475, 0.5, 0.425});
  ExpectNear(Window(1, v1::CONFORM_POLICY_DONT_CONFORM), {-0.4, -0.325, 0.5, 0.275});
}

TEST_F(CameraHandlerTest, PathsWithoutCamerasDoNotFailTheCall) {
  const auto reply = client().ComputeCameras(Ask({"/X", "/X/C", "/None"}, {0}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->path_errors_size(), 2);
  EXPECT_EQ(reply->path_errors(0).item(), 0u);
  EXPECT_EQ(reply->path_errors(0).reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(reply->path_errors(0).message(), "'/X' is not a Camera");
  EXPECT_EQ(reply->path_errors(1).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(reply->projection(0), v1::CAMERA_PROJECTION_UNSPECIFIED);
  EXPECT_EQ(reply->focal_length(0), 0);
  EXPECT_EQ(reply->focal_length(1), 40);
  EXPECT_EQ(Unpack<double>(reply->local_to_world())[0], 0);
  EXPECT_EQ(reply->stereo_role_size(), 3);
}

TEST_F(CameraHandlerTest, AspectRatiosAreChecked) {
  for (const double wrong : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto request = Ask({"/X/C"}, {0});
    request.set_aspect_ratio(wrong);
    EXPECT_EQ(ErrorReason(client().ComputeCameras(request).status()), "INVALID_FIELD") << wrong;
  }
}

TEST_F(CameraHandlerTest, RepliesAreBounded) {
  ServerOptions options;
  options.limits.max_reply_bytes = 5000;
  Start(options);
  Write("planes.usda", Concat(
                           "def Camera \"C\" { float4[] clippingPlanes = [(0, 0, 0, 0)",
                           [] {
                             std::string more;
                             for (int i = 0; i < 200; ++i) more += ", (1, 2, 3, 4)";
                             return more;
                           }(),
                           "]; }\n"));
  v1::OpenStageRequest open;
  open.set_root_layer("/planes.usda");
  stage_ = Open(open);
  EXPECT_TRUE(client().ComputeCameras(Ask({"/C"}, {0})).ok());
  EXPECT_EQ(ErrorReason(client().ComputeCameras(Ask({"/C"}, {0, 1})).status()),
            "REQUEST_TOO_LARGE");
  EXPECT_EQ(
      ErrorReason(client().ComputeCameras(Ask({"/None"}, std::vector<double>(20, 0))).status()),
      "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
