#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class SubsetsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def Mesh "M" {
  int[] faceVertexCounts = [3, 3, 3]
  int[] faceVertexIndices = [0, 1, 2, 0, 1, 2, 0, 1, 2]
  point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
  uniform token subsetFamily:materialBind:familyType = "nonOverlapping"
  def GeomSubset "Left" {
    uniform token elementType = "face"
    uniform token familyName = "materialBind"
    int[] indices = [0, 1]
  }
  def GeomSubset "Top" {
    uniform token elementType = "point"
    int[] indices.timeSamples = { 0: [2], 10: [1, 2] }
  }
}
def Mesh "Twice" {
  int[] faceVertexCounts = [3]
  int[] faceVertexIndices = [0, 1, 2]
  point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
  uniform token subsetFamily:f:familyType = "partition"
  def GeomSubset "One" {
    uniform token familyName = "f"
    int[] indices = [0]
  }
  def GeomSubset "Two" {
    uniform token familyName = "f"
    int[] indices = [0]
  }
}
)");
  }
};

TEST_F(SubsetsCommandTest, PrintsSubsetsAndFamilies) {
  EXPECT_EQ(Printed(RunSubsets, {"subsets", "/root.usda", "/M", "--times=0,10"}),
            "/M at 0: 2 subsets\n  /M/Left face of materialBind: 2 indices\n"
            "  /M/Top point: 1 index\n"
            "  family materialBind: face nonOverlapping, 1 unassigned\n"
            "/M at 10: 2 subsets\n  /M/Left face of materialBind: 2 indices\n"
            "  /M/Top point: 2 indices\n"
            "  family materialBind: face nonOverlapping, 1 unassigned\n");
  EXPECT_EQ(Printed(RunSubsets, {"subsets", "/root.usda", "/M", "--element-type=edge"}),
            "/M at default: 0 subsets\n");
  EXPECT_EQ(Printed(RunSubsets, {"subsets", "/root.usda", "/M", "/Twice", "--family=materialBind"}),
            "/M at default: 1 subset\n  /M/Left face of materialBind: 2 indices\n"
            "  family materialBind: face nonOverlapping, 1 unassigned\n"
            "/Twice at default: 0 subsets\n");
}

TEST_F(SubsetsCommandTest, PrintsRecords) {
  EXPECT_EQ(Printed(RunSubsets, {"subsets", "/root.usda", "/M", "--times=0", "--format=csv"}),
            "path,time,subset,element_type,family,family_type,count,unassigned,problem,indices\r\n"
            "/M,0,/M/Left,face,materialBind,nonOverlapping,2,1,,\"[0,1]\"\r\n"
            "/M,0,/M/Top,point,,,1,,,[2]\r\n");
}

TEST_F(SubsetsCommandTest, ChecksFamilies) {
  const std::string json =
      Printed(RunSubsets, {"subsets", "/root.usda", "/Twice", "--check", "--format=json"});
  EXPECT_EQ(json.find("\"problem\":null"), std::string::npos) << json;
  EXPECT_NE(json.find("\"problem\":\""), std::string::npos) << json;
  EXPECT_EQ(Failure(RunSubsets, {"subsets", "/root.usda", "/None"}).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
