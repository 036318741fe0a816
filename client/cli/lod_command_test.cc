#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class LodCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(def LODDistanceHeuristic "H"
{
    uniform token lod:domain = "imaging"
    uniform float[] thresholds = [10, 20]
    uniform float[] blendThresholds = [12]
}
def Xform "A" (
    prepend apiSchemas = ["LODRootAPI", "LODOverrideAPI"]
)
{
    rel lod:heuristics = </H>
    token lod:override:mode.timeSamples = { 1: "inherited", 7: "allLOD", 8: "noLOD" }
    def "High" {}
    def "Low" {}
}
def Xform "B" (
    prepend apiSchemas = ["LODRootAPI"]
)
{
    def "Only" {}
}
def Camera "Cam"
{
    double3 xformOp:translate.timeSamples = { 1: (0, 0, 3), 2: (0, 0, 11) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)");
  }
  std::string Levels(const Args& options) {
    Args args = {"lod", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    return Printed(RunLod, args);
  }
  std::string Message(const Args& options) {
    Args args = {"lod", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    return std::string(Failure(RunLod, args).message());
  }
};

TEST_F(LodCommandTest, PrintsTheLevelsOfAllRoots) {
  EXPECT_EQ(Levels({"--camera=/Cam", "--times=1,2,7,8"}),
            "/A at 1: High (distance 3 by /H)\n"
            "/A at 2: High, Low 0.5 (distance 11 by /H)\n"
            "/A at 7: all levels (override allLOD of /A)\n"
            "/A at 8: no level (override noLOD of /A)\n"
            "/B at 1: Only (default)\n"
            "/B at 2: Only (default)\n"
            "/B at 7: Only (default)\n"
            "/B at 8: Only (default)\n");
  EXPECT_EQ(Levels({"/A", "--viewpoint=0,0,30", "--times=1"}), "/A: Low (distance 30 by /H)\n");
  EXPECT_EQ(Levels({"/A", "--viewpoint=0,0,30", "--domain=physics"}), "/A: High (default)\n");
}

TEST_F(LodCommandTest, PrintsRecords) {
  EXPECT_EQ(Levels({"/A", "--viewpoint=0,0,11", "--times=1", "--format=json"}),
            "{\"path\":\"/A\",\"time\":1,\"shown\":{\"High\":0.5,\"Low\":0.5},"
            "\"reason\":\"distance\",\"measure\":11,\"heuristic\":\"/H\",\"override_mode\":null,"
            "\"override_prim\":null,\"levels\":[\"High\",\"Low\"]}\n");
}

TEST_F(LodCommandTest, ReportsWhatIsWrong) {
  EXPECT_EQ(Message({"/A"}), "lod needs either --camera or --viewpoint");
  for (const char* text : {"1,2", "1,2,3,4", "1,2,x", ""}) {
    EXPECT_EQ(Message({std::string("--viewpoint=") + text}),
              std::string("--viewpoint must be X,Y,Z, not '") + text + "'");
  }
  EXPECT_EQ(Message({"--camera=/A"}), "'/A' is not a Camera");
  EXPECT_NE(Message({"/Cam", "--camera=/Cam"}).find("LODRootAPI"), std::string::npos);
}

}  // namespace
}  // namespace stagedoor
