// Expected results come from usd-core 26.11.
#include "scene/geom/camera.h"

#include <memory>

#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr const char* kCameras = R"(
def Camera "C" {
  float focalLength.timeSamples = { 0: 35, 10: 45 }
  float horizontalAperture = 36
  float verticalAperture = 24
  float horizontalApertureOffset = 2
  float verticalApertureOffset = -1
  float2 clippingRange = (0.1, 1000)
  float4[] clippingPlanes = [(1, 0, 0, 5), (0, 1, 0, 6)]
  float fStop = 2.8
  float focusDistance = 12
  double shutter:open = -0.25
  double shutter:close = 0.25
  float exposure = 1
  float exposure:time = 0.02
  float exposure:iso = 400
  float exposure:fStop = 2.8
  float exposure:responsivity = 0.5
  uniform token stereoRole = "left"
}
def Camera "O" {
  token projection = "orthographic"
}
def Camera "Odd" {
  token projection = "fisheye"
  float focalLength.timeSamples = { 0: None, 10: 45 }
  uniform token stereoRole = "both"
}
)";

class CameraTest : public testing::Test {
 protected:
  CameraTest() {
    scene_.Write("a.usda", kCameras);
    stage_ = scene_.Open("a.usda");
  }
  CameraQuery Query(std::string_view path) {
    return CameraQuery(scene_.context(), stage_->FindPrim(P(path)));
  }
  Camera At(std::string_view path, TimeCode time) { return Query(path).At(scene_.context(), time); }
  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(CameraTest, ReadsTheAttributes) {
  const Camera camera = At("/C", TimeCode::At(5));
  EXPECT_FALSE(camera.orthographic);
  EXPECT_EQ(camera.focal_length, 40);
  EXPECT_EQ(camera.horizontal_aperture, 36);
  EXPECT_EQ(camera.vertical_aperture, 24);
  EXPECT_EQ(camera.horizontal_aperture_offset, 2);
  EXPECT_EQ(camera.vertical_aperture_offset, -1);
  EXPECT_EQ(camera.clipping_range, (Vec2f{0.1F, 1000}));
  EXPECT_EQ(camera.clipping_planes, (Array<Vec4f>{{1, 0, 0, 5}, {0, 1, 0, 6}}));
  EXPECT_EQ(camera.f_stop, 2.8F);
  EXPECT_EQ(camera.focus_distance, 12);
  EXPECT_EQ(camera.shutter_open, -0.25);
  EXPECT_EQ(camera.shutter_close, 0.25);
  EXPECT_EQ(camera.exposure, 1);
  EXPECT_FLOAT_EQ(camera.linear_exposure_scale, 0.010204081F);
  EXPECT_EQ(Query("/C").StereoRole(scene_.context()), Token("left"));
  EXPECT_EQ(At("/C", TimeCode::At(10)).focal_length, 45);
}

TEST_F(CameraTest, ValuesThatAreNotAuthoredAreFallbacks) {
  const Camera camera = At("/O", TimeCode::Default());
  EXPECT_TRUE(camera.orthographic);
  EXPECT_EQ(camera.focal_length, 50);
  EXPECT_EQ(camera.horizontal_aperture, 20.955F);
  EXPECT_EQ(camera.vertical_aperture, 15.2908F);
  EXPECT_EQ(camera.clipping_range, (Vec2f{1, 1000000}));
  EXPECT_TRUE(camera.clipping_planes.empty());
  EXPECT_EQ(camera.f_stop, 0);
  EXPECT_EQ(camera.linear_exposure_scale, 1);
  EXPECT_EQ(Query("/O").StereoRole(scene_.context()), Token("mono"));
  EXPECT_EQ(At("/C", TimeCode::Default()).focal_length, 50) << "samples only";
}

TEST_F(CameraTest, OddValuesAreAccepted) {
  EXPECT_FALSE(At("/Odd", TimeCode::At(0)).orthographic) << "an unknown projection";
  EXPECT_EQ(At("/Odd", TimeCode::At(0)).focal_length, 50) << "blocked";
  EXPECT_EQ(Query("/Odd").StereoRole(scene_.context()), Token("both"));
}

}  // namespace
}  // namespace stagedoor
