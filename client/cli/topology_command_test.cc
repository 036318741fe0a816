#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class TopologyCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def Mesh "M" {
  int[] faceVertexCounts.timeSamples = { 0: [3], 5: [3, 3] }
  int[] faceVertexIndices = [0, 1, 2]
  point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
}
def TetMesh "T" {
  point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
  int4[] tetVertexIndices = [(0, 1, 3, 2)]
}
def BasisCurves "B" {
  int[] curveVertexCounts = [4, 7]
}
def Xform "X" {}
)");
  }
};

TEST_F(TopologyCommandTest, CountsElements) {
  EXPECT_EQ(Printed(RunTopology, {"topology", "/root.usda", "/M", "/X", "--times=0", "--check"}),
            "/M at 0: Mesh, 1 faces, 3 points\n/X at 0: not geometry\n");
  EXPECT_EQ(Printed(RunTopology, {"topology", "/root.usda", "/M", "--times=5", "--check"}),
            "/M at 5: Mesh, 2 faces, 3 points; faceVertexCounts add up to 6, but the number of "
            "faceVertexIndices is 3\n");
  EXPECT_EQ(Failure(RunTopology, {"topology", "/root.usda", "/None"}).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(TopologyCommandTest, PrintsArrays) {
  const std::string text =
      Printed(RunTopology, {"topology", "/root.usda", "/T", "/B", "--with-arrays"});
  EXPECT_NE(text.find("/T at default: TetMesh, 1 tetrahedra, 4 points\n"
                      "  surface triangles: 4\n  inverted tetrahedra: 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("; values: 2 uniform, 5 varying, 11 vertex\n  segment counts: 2\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(Printed(RunTopology, {"topology", "/root.usda", "/T", "--with-arrays", "--format=csv"}),
            "path,time,type,elements,points,uniform,varying,vertex,problem,surface_faces,"
            "inverted_elements,segment_counts,point_values,tangents\r\n"
            "/T,default,TetMesh,1,4,,,,,\"[[0,1,2],[0,2,3],[0,3,1],[1,3,2]]\",[0],,,\r\n");
}

}  // namespace
}  // namespace stagedoor
