#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class LightsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def Xform "A" (kind = "group") {
  rel lightList = </Gone>
  token lightList:cacheBehavior = "consumeAndHalt"
  def DomeLight "Dome" {
    rel light:filters = [</F>, </G>]
    rel portals = </P>
  }
}
def LightFilter "F" {}
def SphereLight "S" {
  token ri:light:shaderId = "PxrSphere"
}
)");
  }
};

TEST_F(LightsCommandTest, ListsTheLightsOfAStage) {
  EXPECT_EQ(Printed(RunLights, {"lights", "/root.usda", "--context=ri"}),
            "/A/Dome DomeLight, filters: /F /G, portals: /P\n/F LightFilter\n"
            "/S SphereLight PxrSphere\n");
  EXPECT_EQ(Printed(RunLights, {"lights", "/root.usda", "/A", "--consult-cache"}), "/Gone\n");
  EXPECT_EQ(Printed(RunLights, {"lights", "/root.usda", "/A", "--format=csv"}),
            "path,type,shader,filter,filters,portals\r\n"
            "/A/Dome,DomeLight,DomeLight,false,\"[\"\"/F\"\",\"\"/G\"\"]\",\"[\"\"/P\"\"]\"\r\n");
  EXPECT_EQ(Failure(RunLights, {"lights", "/root.usda", "/Nowhere"}).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
