#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class CameraCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(def Camera "C"
{
    float focalLength.timeSamples = { 1: 40, 3: 80 }
    float horizontalAperture = 36
    float verticalAperture = 24
    float2 clippingRange = (0.1, 1000)
    float fStop = 2.8
    double shutter:close = 0.5
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Camera "O" { token projection = "orthographic"; }
def Xform "X" {}
)");
  }
};

TEST_F(CameraCommandTest, PrintsCamerasAtTimes) {
  const std::string text = Printed(RunCamera, {"camera", "/root.usda", "/C", "/O", "--times=1,3"});
  EXPECT_TRUE(
      text.starts_with("/C at 1:\n"
                       "  projection: perspective\n"
                       "  focal length: 40\n"
                       "  aperture: 36 x 24, offset 0, 0\n"
                       "  field of view: 48.4"))
      << text;
  EXPECT_NE(text.find("  window: -0.45, -0.3"), std::string::npos) << text;
  EXPECT_NE(text.find("  clipping range: 0.1, 1000\n"
                      "  focus: f/2.8, distance 0\n"
                      "  shutter: 0 to 0.5\n"
                      "  exposure scale: 1\n"
                      "  position: 1, 2, 3\n"
                      "/C at 3:\n"
                      "  projection: perspective\n"
                      "  focal length: 80\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("/O at 3:\n  projection: orthographic\n"), std::string::npos) << text;
}

TEST_F(CameraCommandTest, PrintsRecords) {
  const std::string json =
      Printed(RunCamera, {"camera", "/root.usda", "/C", "--times=1", "--format=json"});
  EXPECT_TRUE(
      json.starts_with("{\"path\":\"/C\",\"time\":1,\"projection\":\"perspective\","
                       "\"focal_length\":40,"))
      << json;
  EXPECT_NE(json.find("\"clipping_range\":[0.1,1000],\"f_stop\":2.8,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"stereo_role\":\"mono\",\"window\":[-0.45,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"view_matrix\":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[-1,-2,-3,1]]"),
            std::string::npos)
      << json;
}

TEST_F(CameraCommandTest, FitsTheApertureToTheImage) {
  const auto window = [&](const Args& options) {
    Args args = {"camera", "/root.usda", "/C", "--times=1"};
    args.insert(args.end(), options.begin(), options.end());
    const std::string text = Printed(RunCamera, args);
    const size_t begin = text.find("window: ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(window({"--aspect-ratio=3"}), window({"--aspect-ratio=6:2", "--conform=fit"}));
  EXPECT_NE(window({"--aspect-ratio=3"}), window({"--aspect-ratio=3", "--conform=crop"}));
  EXPECT_EQ(window({"--aspect-ratio=3", "--conform=dont-conform"}), window({}));
  EXPECT_EQ(window({"--aspect-ratio=3", "--conform=match-vertically"}),
            window({"--aspect-ratio=3"}));
  EXPECT_EQ(window({"--aspect-ratio=3", "--conform=match-horizontally"}),
            window({"--aspect-ratio=3", "--conform=crop"}));
}

TEST_F(CameraCommandTest, ReportsWhatIsWrong) {
  const auto message = [&](const Args& args) {
    return std::string(Failure(RunCamera, args).message());
  };
  EXPECT_EQ(message({"camera", "/root.usda", "/C", "--aspect-ratio=0"}),
            "--aspect-ratio must be W:H or a positive number, not '0'");
  EXPECT_EQ(message({"camera", "/root.usda", "/C", "--aspect-ratio=4:"}),
            "--aspect-ratio must be W:H or a positive number, not '4:'");
  EXPECT_EQ(message({"camera", "/root.usda", "/C", "--conform=best"}),
            "--conform must be fit, crop, match-vertically, match-horizontally or dont-conform, "
            "not 'best'");
  EXPECT_EQ(message({"camera", "/root.usda", "/X"}), "'/X' is not a Camera");
}

}  // namespace
}  // namespace stagedoor
