// The fingerprints of frames.
#include <gtest/gtest.h>

#include <string>

#include "server/testing/frame_scene_test.h"

namespace stagedoor::server {
namespace {

class FrameFingerprintTest : public FrameSceneTest {
 protected:
  std::string FingerprintAt(double time) {
    v1::ComputeFrameFingerprintRequest request;
    *request.mutable_stage() = stage_;
    request.mutable_time()->set_numeric(time);
    if (options_.has_sample_policy()) *request.mutable_sample_policy() = options_.sample_policy();
    *request.mutable_selection() = options_.selection();
    const auto reply = client().ComputeFrameFingerprint(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    if (!reply.ok()) return "";
    EXPECT_EQ(reply->fingerprint().size(), 32u);
    EXPECT_NE(reply->snapshot(), "");
    return reply->fingerprint();
  }
};

constexpr const char* kScene = R"(
def Xform "X" {
  double xformOp:translateX.timeSamples = { 0: 0, 10: 10 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Mesh "Flag" {
    point3f[] points.timeSamples = { 0: [(0, 0, 0)], 10: [(0, 0, 1)] }
  }
}
def Cube "Still" {
}
)";

TEST_F(FrameFingerprintTest, FramesThatAreEqualHaveOneFingerprint) {
  Load(kScene);
  EXPECT_EQ(FingerprintAt(1), FingerprintAt(1));
  EXPECT_NE(FingerprintAt(1), FingerprintAt(2));
  EXPECT_EQ(FingerprintAt(11), FingerprintAt(12)) << "nothing moves";
  options_.mutable_sample_policy()->set_shutter_close(1);
  EXPECT_NE(FingerprintAt(1), FingerprintAt(2));
  EXPECT_EQ(FingerprintAt(11), FingerprintAt(12));
}

TEST_F(FrameFingerprintTest, FingerprintsDependOnWhatIsAskedFor) {
  Load(kScene);
  const std::string all = FingerprintAt(11);
  options_.mutable_selection()->add_types("Mesh");
  const std::string meshes = FingerprintAt(11);
  EXPECT_NE(meshes, all);
  options_.mutable_sample_policy()->set_shutter_close(1);
  EXPECT_NE(FingerprintAt(11), meshes);
  options_.Clear();
  Edit("over \"Still\" {\n  double size = 3\n}\n");
  EXPECT_NE(FingerprintAt(11), all);
}

TEST_F(FrameFingerprintTest, FingerprintsHaveVisibilityMaterialsLightsAndCameras) {
  Load(R"(
def Cube "C" (
  prepend apiSchemas = ["MaterialBindingAPI"]
) {
  rel material:binding = </Paint>
  token visibility.timeSamples = { 1: "inherited", 2: "invisible" }
}
def Material "Paint" {
  float inputs:x.timeSamples = { 3: 3, 4: 4 }
  token outputs:surface.connect = </Paint/S.outputs:out>
  def Shader "S" {
    uniform token info:id = "UsdPreviewSurface"
    float inputs:roughness.connect = </Paint.inputs:x>
    token outputs:out
  }
}
def SphereLight "Key" {
  float inputs:intensity.timeSamples = { 5: 5, 6: 6 }
}
def Camera "Eye" {
  float focalLength.timeSamples = { 7: 7, 8: 8 }
}
)");
  options_.mutable_selection()->set_camera("/Eye");
  for (const double time : {1, 3, 5, 7}) {
    EXPECT_NE(FingerprintAt(time), FingerprintAt(time + 1)) << time;
    EXPECT_EQ(FingerprintAt(time + 1), FingerprintAt(time + 1.5)) << time;
  }
}

}  // namespace
}  // namespace stagedoor::server
