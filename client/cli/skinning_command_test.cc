#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"
#include "scene/testing/skeleton_text.h"

namespace stagedoor {
namespace {

class SkinningCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", std::string(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)") + kTwoJoints + R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations.timeSamples = { 0: [(0, 2, 0)], 10: [(0, 4, 0)] }
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
    uniform token[] blendShapes = ["smile"]
    float[] blendShapeWeights = [0.25]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
    uniform token[] skel:joints = ["a/b", "gone"]
    int[] primvars:skel:jointIndices = [0, 0] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
    uniform token[] skel:blendShapes = ["smile"]
    rel skel:blendShapeTargets = </C/M/Smile>
    def BlendShape "Smile" {
      uniform vector3f[] offsets = [(0, 0, 8)]
      uniform int[] pointIndices = [1]
      uniform vector3f[] inbetweens:half = [(0, 0, 2)] (
        weight = 0.5
      )
    }
  }
}
def Xform "X" {
}
)");
  }
};

TEST_F(SkinningCommandTest, PrintsPrimsAndTheirPoses) {
  EXPECT_EQ(Printed(RunSkinning, {"skinning", "/root.usda", "--times=0,10"}),
            "/C/M by /C/Skel\n"
            "  animation: /C/Anim\n"
            "  method: classicLinear\n"
            "  influences: 1 for each of 2 points\n"
            "  joints: 2 of its own, 1 unknown to the skeleton\n"
            "  blend shape smile: 1 points, in-betweens at 0.5\n"
            "  at 0: 2 joint transforms, smile 0.25\n"
            "  at 10: 2 joint transforms, smile 0.25\n");
}

TEST_F(SkinningCommandTest, PrintsRecords) {
  const std::string json =
      Printed(RunSkinning, {"skinning", "/root.usda", "/C/M", "--times=10", "--format=json"});
  EXPECT_TRUE(
      json.starts_with("{\"path\":\"/C/M\",\"time\":10,\"skeleton\":\"/C/Skel\","
                       "\"animation\":\"/C/Anim\",\"method\":\"classicLinear\",\"rigid\":false,"
                       "\"influences\":1,\"joints\":[\"a/b\",\"gone\"],"
                       "\"blend_shapes\":[\"smile\"],\"weights\":[0.25],"))
      << json;
  EXPECT_NE(json.find("\"skinning_transforms\":[[[1,0,0,0]"), std::string::npos) << json;
}

TEST_F(SkinningCommandTest, ReportsPrimsThatAreNotSkinned) {
  EXPECT_EQ(Failure(RunSkinning, {"skinning", "/root.usda", "/X"}).message(),
            "/X: /X is not bound to a Skeleton");
}

}  // namespace
}  // namespace stagedoor
