// Tests of TetMeshes, meshes and HermiteCurves, with the results of usd-core.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/geom/element_count.h"
#include "scene/geom/hermite_curves.h"
#include "scene/geom/mesh_topology.h"
#include "scene/geom/tet_mesh.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

class TopologyTest : public AnswersTest {
 protected:
  void Open(std::string_view type, std::string_view properties) {
    Write("root.usda", Concat("def ", type, " \"G\" {\n", properties, "\n}\n"));
  }
  Prim Geometry() { return stage().FindPrim("/G"); }
  // "0 1 2|1 2 3".
  std::string Surface(TimeCode time = TimeCode::At(0)) {
    const auto found = ComputeSurfaceFaces(scene_.context(), Geometry(), time);
    if (!found.ok()) return std::string(found.status().message());
    std::string text;
    for (const Vec3i& face : found->faces) {
      text += Concat(text.empty() ? "" : "|", face[0], " ", face[1], " ", face[2]);
    }
    return text;
  }
  std::string Inverted() {
    const auto found = FindInvertedElements(scene_.context(), Geometry(), TimeCode::At(0));
    return found.ok() ? Join(found->elements, " ") : std::string(found.status().message());
  }
  std::string MeshProblem(std::string_view counts, std::string_view indices) {
    Open("Mesh", Concat("int[] faceVertexCounts = ", counts, "\nint[] faceVertexIndices = ",
                        indices, "\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]"));
    return std::string(
        ValidateMeshTopology(scene_.context(), Geometry(), TimeCode::At(0)).message());
  }
};

constexpr std::string_view kFourPoints =
    "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n";

TEST_F(TopologyTest, SharedTrianglesAreNotOnTheSurface) {
  Open("TetMesh", "int4[] tetVertexIndices = [(0, 1, 2, 3), (0, 1, 3, 4)]");
  EXPECT_EQ(Surface(), "0 1 4|0 2 1|0 3 2|0 4 3|1 2 3|1 3 4");
  Open("TetMesh", "int4[] tetVertexIndices = [(0, 1, 2, 3), (0, 1, 3, 2)]");
  EXPECT_EQ(Surface(), "");
  Open("TetMesh", "int4[] tetVertexIndices = []");
  EXPECT_EQ(Surface(), "");
  Open("TetMesh", "");
  EXPECT_EQ(Surface(), "");
}

TEST_F(TopologyTest, SurfacesNeedNoPoints) {
  Open("TetMesh",
       "int4[] tetVertexIndices = [(0, 1, 2, 3), (0, 1, 3, 2), (0, 0, 1, 1), (-1, -5, 7, 7)]");
  EXPECT_EQ(Surface(), "-5 7 7|-1 7 7");
  Open("TetMesh",
       "int4[] tetVertexIndices = [(0, 1, 2, 3), (0, 0, 1, 1), (2, 2, 2, 2), (5, 5, 6, 7)]");
  EXPECT_EQ(Surface(), "0 1 3|0 2 1|0 3 2|1 2 3|5 5 7|5 6 5");
}

TEST_F(TopologyTest, SurfacesAreThoseOfTheTime) {
  Open("TetMesh", R"(int4[] tetVertexIndices.timeSamples = { 1: [(0, 1, 2, 3)], 2: None })");
  EXPECT_EQ(Surface(TimeCode::At(1.5)), "0 1 3|0 2 1|0 3 2|1 2 3");
  EXPECT_EQ(Surface(TimeCode::At(2)), "");
  EXPECT_EQ(Surface(TimeCode::Default()), "");
}

TEST_F(TopologyTest, InvertedElementsDependOnTheOrientation) {
  constexpr std::string_view kTets =
      "int4[] tetVertexIndices = [(0, 1, 2, 3), (0, 1, 3, 2), (0, 0, 1, 1)]\n";
  Open("TetMesh", Concat(kFourPoints, kTets));
  EXPECT_EQ(Inverted(), "1");
  Open("TetMesh", Concat(kFourPoints, kTets, "uniform token orientation = \"leftHanded\""));
  EXPECT_EQ(Inverted(), "0");
  Open("TetMesh", Concat(kFourPoints, kTets, "uniform token orientation = \"odd\""));
  EXPECT_EQ(Inverted(), "1");
}

TEST_F(TopologyTest, ElementsWithoutPointsAreNotInverted) {
  Open("TetMesh", "int4[] tetVertexIndices = [(0, 1, 3, 2)]");
  EXPECT_EQ(Inverted(), "");
  Open("TetMesh", Concat(kFourPoints,
                         "int4[] tetVertexIndices = [(0, 1, 4, 2), (-1, 1, 3, 2), (0, 1, 3, 2)]"));
  EXPECT_EQ(Inverted(), "2");
  EXPECT_EQ(ValidateTetMeshTopology(scene_.context(), Geometry(), TimeCode::At(0)).message(),
            "element 0 of tetVertexIndices is (0, 1, 4, 2), but the number of points is 4");
}

TEST_F(TopologyTest, FacesOfMeshesFitTheirPoints) {
  EXPECT_EQ(MeshProblem("[3]", "[0, 1, 2]"), "");
  EXPECT_EQ(MeshProblem("[]", "[]"), "");
  EXPECT_EQ(MeshProblem("[-3, 3]", "[]"), "");
  EXPECT_EQ(MeshProblem("[4]", "[0, 1, 2]"),
            "faceVertexCounts add up to 4, but the number of faceVertexIndices is 3");
  EXPECT_EQ(MeshProblem("[-3]", "[]"),
            "faceVertexCounts add up to -3, but the number of faceVertexIndices is 0");
  EXPECT_EQ(MeshProblem("[3]", "[0, 1, 3]"),
            "element 2 of faceVertexIndices is 3, but the number of points is 3");
  EXPECT_EQ(MeshProblem("[3]", "[0, -1, 2]"),
            "element 1 of faceVertexIndices is -1, but the number of points is 3");
  // The sum in 32 bits, which is that of OpenUSD, would be 1.
  EXPECT_EQ(MeshProblem("[2147483647, 2147483647, 3]", "[0]"),
            "faceVertexCounts add up to 4294967297, but the number of faceVertexIndices is 1");
}

TEST_F(TopologyTest, HermiteCurvesHaveATangentForEachPoint) {
  Open("HermiteCurves", "point3f[] points = [(1, 0, 0)]\nvector3f[] tangents = [(0, 1, 0)]");
  const auto read = ReadPointsAndTangents(scene_.context(), Geometry(), TimeCode::At(0));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->points[0], (Vec3f{1, 0, 0}));
  EXPECT_EQ(read->tangents[0], (Vec3f{0, 1, 0}));
  Open("HermiteCurves", "point3f[] points = [(1, 0, 0)]");
  EXPECT_EQ(ReadPointsAndTangents(scene_.context(), Geometry(), TimeCode::At(0)).status().message(),
            "the number of points is 1, but the number of tangents is 0");
}

TEST_F(TopologyTest, ElementsAreCountedByType) {
  constexpr struct {
    std::string_view type, properties, schema;
    size_t elements, points;
  } kCases[] = {
      {"Mesh", "int[] faceVertexCounts = [3, 4]", "Mesh", 2, 0},
      {"Mesh", "float[] faceVertexCounts = [3, 4]", "Mesh", 0, 0},
      {"TetMesh", "int4[] tetVertexIndices = [(0, 1, 2, 3)]", "TetMesh", 1, 0},
      {"BasisCurves", "int[] curveVertexCounts = [4]", "BasisCurves", 1, 0},
      {"NurbsCurves", "int[] curveVertexCounts = [4, 5]", "NurbsCurves", 2, 0},
      {"HermiteCurves", "int[] curveVertexCounts = [4, 5]", "HermiteCurves", 2, 0},
      {"NurbsPatch", "point3f[] points = [(0, 0, 0)]", "NurbsPatch", 0, 1},
      {"Points", "point3f[] points = [(0, 0, 0)]", "Points", 1, 1},
      {"PointInstancer", "int[] protoIndices = [0, 7]\n int64[] invisibleIds = [0]",
       "PointInstancer", 2, 0},
      {"Cube", "", "", 0, 0},
  };
  for (const auto& c : kCases) {
    Open(c.type, c.properties);
    const Token schema = TopologySchema(Geometry());
    EXPECT_EQ(schema.text(), c.schema) << c.type;
    if (schema.empty()) continue;
    EXPECT_EQ(ElementCount(scene_.context(), Geometry(), schema, TimeCode::At(0)), c.elements)
        << c.type;
    EXPECT_EQ(PointCount(scene_.context(), Geometry(), TimeCode::At(0)), c.points) << c.type;
  }
}

}  // namespace
}  // namespace stagedoor
