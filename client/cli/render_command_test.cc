#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class RenderCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"((
  renderSettingsPrimPath = "/Render"
)
def Camera "Cam" {
  float horizontalAperture = 20
  float verticalAperture = 10
}
def RenderSettings "Render" {
  rel camera = </Cam>
  rel products = </Beauty>
  token renderingColorSpace = "acescg"
  int ri:samples = 5
  bool disableMotionBlur = 1
}
def RenderProduct "Beauty" {
  token productName = "b.exr"
  int2 resolution = (100, 100)
  rel orderedVars = [</Ci>, </Gone>]
}
def RenderVar "Ci" {
  string sourceName = "Ci"
}
def RenderSettings "Plain" {
}
def RenderPass "First" {
  token passType = "prman"
  string[] command = ["prman", "{fileName}"]
  rel renderSource = </Render>
}
def RenderPass "Second" {
  rel inputPasses = </First>
  asset fileName = @./root.usda@
}
)");
  }
};

TEST_F(RenderCommandTest, PrintsTheSettingsOfTheStage) {
  EXPECT_EQ(Printed(RunRender, {"render", "/root.usda", "--namespace=ri"}),
            "/Render\n"
            "  purposes: default, render\n"
            "  material purposes: full, all purposes\n"
            "  color space: acescg\n"
            "  camera = [\"/Cam\"]\n"
            "  products = [\"/Beauty\"]\n"
            "  ri:samples = 5\n"
            "  /Beauty: raster b.exr\n"
            "    camera: /Cam, aperture 20 x 20 (expandAperture)\n"
            "    image: 100 x 100 pixels of 1, window 0, 0, 1, 1\n"
            "    without motion blur\n"
            "    /Ci: color3f raw Ci\n"
            "    orderedVars = [\"/Ci\",\"/Gone\"]\n");
}

TEST_F(RenderCommandTest, PrintsImagesOfSettingsWithoutProducts) {
  EXPECT_EQ(Printed(RunRender, {"render", "/root.usda", "/Plain"}),
            "/Plain\n"
            "  purposes: default, render\n"
            "  material purposes: full, all purposes\n"
            "  camera: none, aperture 0 x 0 (expandAperture)\n"
            "  image: 2048 x 1080 pixels of 1, window 0, 0, 1, 1\n");
}

TEST_F(RenderCommandTest, PrintsRecords) {
  EXPECT_EQ(Printed(RunRender, {"render", "/root.usda", "--format=json"}),
            "{\"product\":\"/Beauty\",\"type\":\"raster\",\"name\":\"b.exr\",\"camera\":\"/Cam\","
            "\"width\":100,\"height\":100,\"pixel_aspect_ratio\":1,"
            "\"conform_policy\":\"expandAperture\",\"horizontal_aperture\":20,"
            "\"vertical_aperture\":20,\"data_window\":[0,0,1,1],\"disable_motion_blur\":true,"
            "\"disable_depth_of_field\":false,\"vars\":[\"/Ci\"]}\n");
}

TEST_F(RenderCommandTest, ListsPasses) {
  EXPECT_EQ(Printed(RunRender, {"render", "/root.usda", "--passes"}),
            "/First prman: prman {fileName}, from /Render\n"
            "/Second in ./root.usda, after /First\n");
  EXPECT_EQ(Printed(RunRender, {"render", "/root.usda", "/Second", "--passes", "--format=csv"}),
            "pass,type,command,sources,file,input_passes\r\n"
            "/Second,,[],[],./root.usda,\"[\"\"/First\"\"]\"\r\n");
}

TEST_F(RenderCommandTest, SaysThatThereAreNoSettings) {
  EXPECT_EQ(Failure(RunRender, {"render", "/root.usda", "/Cam"}).code(),
            absl::StatusCode::kInvalidArgument);
  Write("bare.usda", "def \"A\" {}\n");
  EXPECT_EQ(Failure(RunRender, {"render", "/bare.usda"}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Printed(RunRender, {"render", "/bare.usda", "--passes"}), "");
}

}  // namespace
}  // namespace stagedoor
