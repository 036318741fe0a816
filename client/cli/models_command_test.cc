#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class ModelsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def Xform "A" (
  kind = "component"
  apiSchemas = ["GeomModelAPI"]
) {
  uniform token model:drawMode = "cards"
  uniform bool model:applyDrawMode = true
  uniform token model:cardGeometry = "box"
  uniform float3 model:drawModeColor = (1, 0.5, 0)
  uniform asset model:cardTextureYPos = @./y.png@
  matrix4d constraintTargets:hand = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1)) (
    constraintTargetIdentifier = "left hand"
  )
}
def Xform "B" {}
)");
  }
};

TEST_F(ModelsCommandTest, PrintsHowModelsAreDrawn) {
  const std::string text = Printed(RunModels, {"models", "/root.usda", "/A", "/B"});
  EXPECT_TRUE(
      text.starts_with("/A: model, draw mode cards, applied, cards box, color [1,0.5,0]\n  YPos: "))
      << text;
  EXPECT_NE(text.find("y.png"), std::string::npos) << text;
  EXPECT_TRUE(
      text.ends_with("\n  constraint target hand (left hand)\n"
                     "/B: not a model, draw mode default\n"))
      << text;
}

TEST_F(ModelsCommandTest, PrintsRecords) {
  EXPECT_EQ(Printed(RunModels, {"models", "/root.usda", "/B", "--format=json"}),
            "{\"path\":\"/B\",\"model\":false,\"draw_mode\":\"default\",\"applied\":false,"
            "\"card_geometry\":null,\"color\":[],\"card_textures\":{},"
            "\"constraint_targets\":[]}\n");
  const std::string json = Printed(RunModels, {"models", "/root.usda", "/A", "--format=json"});
  EXPECT_NE(json.find("\"constraint_targets\":[{\"name\":\"hand\",\"identifier\":\"left hand\","
                      "\"local_to_world\":[[[1,0,0,0],"),
            std::string::npos)
      << json;
  EXPECT_EQ(Failure(RunModels, {"models", "/root.usda", "/None"}).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
