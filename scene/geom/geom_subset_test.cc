#include "scene/geom/geom_subset.h"

#include <string>
#include <vector>

#include "base/reservation.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/geom/basis_curves.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

constexpr std::string_view kQuads = R"(def Mesh "G" {
  point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
  int[] faceVertexCounts = [4, 4]
  int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2]
)";
constexpr std::string_view kCurves = R"(def BasisCurves "G" {
  int[] curveVertexCounts = [4, 3]
  uniform token type = "linear"
)";

class GeomSubsetTest : public AnswersTest {
 protected:
  // The text of a subset. `indices` is "= [0, 1]" or ".timeSamples = { … }".
  static std::string Subset(std::string_view name, std::string_view element_type,
                            std::string_view indices, std::string_view family = "f") {
    return Concat("def GeomSubset \"", name, "\" {\n uniform token elementType = \"", element_type,
                  "\"\n int[] indices", indices, "\n uniform token familyName = \"", family,
                  "\"\n}\n");
  }
  void Open(std::string_view geom, std::string_view subsets, std::string_view family_type = "") {
    std::string type;
    if (!family_type.empty()) {
      type = Concat("uniform token subsetFamily:f:familyType = \"", family_type, "\"\n");
    }
    Write("root.usda", Concat(geom, type, subsets, "}\n"));
  }
  std::string Names(std::string_view element_type, std::string_view family) {
    std::string names;
    for (const GeomSubset& subset : FindGeomSubsets(scene_.context(), stage().FindPrim("/G"),
                                                    Token(element_type), Token(family))) {
      names += Concat(names.empty() ? "" : " ", subset.prim.PathText());
    }
    return names;
  }
  std::string Unassigned(std::string_view element_type, double time = 0) {
    const auto found =
        ComputeUnassignedIndices(scene_.context(), stage().FindPrim("/G"), Token(element_type),
                                 Token("f"), TimeCode::At(time));
    return found.ok() ? Join(found->indices, " ") : std::string(found.status().message());
  }
  std::string Problem(std::string_view element_type) {
    return std::string(ValidateSubsetFamily(scene_.context(), stage().FindPrim("/G"),
                                            Token(element_type), Token("f"))
                           .message());
  }
};

TEST_F(GeomSubsetTest, SubsetsAreFoundByTypeAndFamily) {
  Open(kQuads, Concat(Subset("a", "face", " = [0]"), Subset("b", "point", " = [0]"),
                      Subset("c", "face", " = [0]", "g"), "def Scope \"d\" {\n",
                      Subset("e", "face", " = [0]"), "}\n"));
  EXPECT_EQ(Names("", ""), "/G/a /G/b /G/c");
  EXPECT_EQ(Names("face", ""), "/G/a /G/c");
  EXPECT_EQ(Names("", "f"), "/G/a /G/b");
  EXPECT_EQ(Names("face", "f"), "/G/a");
}

TEST_F(GeomSubsetTest, FamiliesAreUnrestrictedUnlessTheyHaveAType) {
  Open(kQuads, "", "partition");
  const auto type = [&](std::string_view family) {
    return SubsetFamilyType(scene_.context(), stage().FindPrim("/G"), Token(family)).text();
  };
  EXPECT_EQ(type("f"), "partition");
  EXPECT_EQ(type("g"), "unrestricted");
  EXPECT_EQ(type("not interned"), "unrestricted");
}

TEST_F(GeomSubsetTest, UnassignedIndicesAreOfAllElements) {
  struct Case {
    std::string_view geom, type, indices, unassigned;
  };
  constexpr Case kCases[] = {
      {kQuads, "face", "[1]", "0"},
      {kQuads, "face", "[-1, 7]", "0 1"},
      {kQuads, "point", "[0, 1, 1]", "2 3 4 5"},
      {kQuads, "edge", "[0, 1, 2, 1]", "0 3 1 4 2 3 2 5 4 5"},
      {kQuads, "edge", "[0, 3, 0, 1]", "0 1 1 2 1 4 2 3 2 5 4 5"},
      {kQuads, "edge", "[0, 1, 2]", "0 3 1 2 1 4 2 3 2 5 4 5"},
      {kCurves, "segment", "[0, 0, 1, 1]", "0 1 0 2 1 0"},
      {kCurves, "segment", "[0, 0, 1]", "0 1 0 2 1 0 1 1"},
      {kCurves, "face", "[]",
       "/G: prims of the type 'BasisCurves' do not have elements of the "
       "type 'face'"},
      {"def TetMesh \"G\" {\n int4[] tetVertexIndices = [(0, 1, 2, 3), (1, 2, 3, 4)]\n",
       "tetrahedron", "[1]", "0"},
      {"def TetMesh \"G\" {\n int3[] surfaceFaceVertexIndices = [(0, 1, 2), (1, 2, 3)]\n", "face",
       "[0]", "1"},
      {"def Xform \"G\" {\n", "point", "[]",
       "/G: prims of the type 'Xform' do not have elements of the type 'point'"},
      {"def Mesh \"G\" {\n int[] faceVertexCounts = [1, 2, -3, 2, 9]\n"
       " int[] faceVertexIndices = [9, 1, 2, 2, 2, 5]\n",
       "edge", "[]", "1 2 2 2 9 9"},
  };
  for (const Case& c : kCases) {
    Open(c.geom, Subset("a", c.type, Concat(" = ", c.indices)));
    EXPECT_EQ(Unassigned(c.type), c.unassigned) << c.geom << c.type << c.indices;
  }
}

TEST_F(GeomSubsetTest, UnassignedIndicesVaryInTime) {
  Open(kQuads, Subset("a", "face", ".timeSamples = { 0: [0], 5: [1] }"));
  EXPECT_EQ(Unassigned("face", 0), "1");
  EXPECT_EQ(Unassigned("face", 5), "0");
}

TEST_F(GeomSubsetTest, FamiliesAreValidated) {
  struct Case {
    std::string_view family_type, type, indices, problem;
  };
  constexpr Case kCases[] = {
      {"", "face", " = [0, 0]", ""},
      {"nonOverlapping", "face", " = [0, 0]",
       "/G: the index 0 is in the family more than once at time default"},
      {"odd", "face", " = [0, 0]",
       "/G: the index 0 is in the family more than once at time default"},
      {"partition", "face", " = [1, 0]", ""},
      {"partition", "face", " = [1]",
       "/G: a partition of 2 elements has 1 indices at time default"},
      {"partition", "face", ".timeSamples = { 1: [0, 1] }",
       "/G: a partition of 2 elements has 0 indices at time default"},
      {"", "face", " = [-1]", "/G: the index -1 is negative at time default"},
      {"", "face", " = [2]", "/G: the index 2 does not exist at time default"},
      {"", "face", ".timeSamples = { 1: [0], 4: [2] }", "/G: the index 2 does not exist at time 4"},
      {"", "face", " = []", "/G: the subsets of the family do not have indices at any time"},
      {"", "edge", " = [0, 1, 2]", "/G/a: indices has an odd number of elements at time default"},
      {"", "edge", " = [0, 2]", "/G: the edge (0, 2) does not exist at time default"},
      {"nonOverlapping", "edge", " = [0, 1, 1, 0]",
       "/G: the edge (0, 1) is in the family more than once at time default"},
      {"", "segment", " = [0, 0]",
       "/G: prims of the type 'Mesh' do not have elements of the type 'segment'"},
  };
  for (const Case& c : kCases) {
    Open(kQuads, Subset("a", c.type, c.indices), c.family_type);
    EXPECT_EQ(Problem(c.type), c.problem) << c.family_type << c.type << c.indices;
  }
}

TEST_F(GeomSubsetTest, SegmentsAreThoseOfTheirCurves) {
  for (const auto& [indices, problem] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"[0, 2, 1, 1]", ""},
           {"[1, 2]", "/G: the segment (1, 2) does not exist at time default"},
           {"[2, 0]", "/G: the segment (2, 0) does not exist at time default"}}) {
    Open(kCurves, Subset("a", "segment", Concat(" = ", indices)));
    EXPECT_EQ(Problem("segment"), problem) << indices;
  }
}

// With a single sample, the number of segments is not taken to vary.
TEST_F(GeomSubsetTest, SegmentsAreLookedForAtEachTime) {
  Open(
      "def BasisCurves \"G\" {\n uniform token type = \"linear\"\n int[] curveVertexCounts = [2]\n"
      "int[] curveVertexCounts.timeSamples = { 1: [9] }\n",
      Subset("a", "segment", " = [0, 5]"));
  EXPECT_EQ(Problem("segment"), "/G: the segment (0, 5) does not exist at time default");
}

TEST_F(GeomSubsetTest, FamiliesHaveOneElementType) {
  Open(kQuads, Concat(Subset("a", "face", " = [0]"), Subset("b", "point", " = [0]")));
  EXPECT_EQ(Problem("face"),
            "/G/b: the elementType is 'point', that of others of the family 'face'");
}

TEST_F(GeomSubsetTest, ElementsThatVaryAreCountedAtEachTime) {
  constexpr std::string_view kGrowing =
      "def Mesh \"G\" {\n int[] faceVertexCounts.timeSamples = { 0: [], 5: [3, 3] }\n";
  Open(kGrowing, Subset("a", "face", ".timeSamples = { 0: [], 5: [1, 0] }"), "partition");
  EXPECT_EQ(Problem("face"), "");
  Open(kGrowing, Subset("a", "face", ".timeSamples = { 0: [0], 5: [1, 0] }"));
  EXPECT_EQ(Problem("face"), "/G: the prim does not have elements at time 0");
  Open("def Mesh \"G\" {\n", Subset("a", "face", " = [0]"));
  EXPECT_EQ(Problem("face"), "/G: the prim does not have elements at time default");
}

TEST_F(GeomSubsetTest, SegmentsDependOnTypeBasisAndWrap) {
  struct Case {
    std::string_view type, basis, wrap, segments;
  };
  // For 0 to 8 vertices, as computed by usd-core.
  constexpr Case kCases[] = {
      {"linear", "bezier", "nonperiodic", "-1 0 1 2 3 4 5 6 7"},
      {"linear", "bezier", "pinned", "-1 0 1 2 3 4 5 6 7"},
      {"linear", "odd", "periodic", "0 1 2 3 4 5 6 7 8"},
      {"cubic", "bezier", "nonperiodic", "0 0 1 1 1 1 1 2 2"},
      {"cubic", "bezier", "pinned", "0 0 1 1 1 1 1 2 2"},
      {"cubic", "bezier", "periodic", "0 0 0 1 1 1 2 2 2"},
      {"cubic", "bspline", "nonperiodic", "-3 -2 -1 0 1 2 3 4 5"},
      {"cubic", "catmullRom", "pinned", "-1 0 1 2 3 4 5 6 7"},
      {"cubic", "catmullRom", "periodic", "0 1 2 3 4 5 6 7 8"},
      {"cubic", "hermite", "nonperiodic", ""},
      {"odd", "bezier", "nonperiodic", ""},
      {"linear", "bezier", "odd", ""},
  };
  Reservation reserved(scene_.context());
  for (const Case& c : kCases) {
    Write("root.usda", Concat("def BasisCurves \"G\" {\n",
                              "int[] curveVertexCounts = [0, 1, 2, 3, 4, 5, 6, 7, 8]\n",
                              "uniform token type = \"", c.type, "\"\nuniform token basis = \"",
                              c.basis, "\"\nuniform token wrap = \"", c.wrap, "\"\n}\n"));
    EXPECT_EQ(Join(ComputeSegmentCounts(scene_.context(), stage().FindPrim("/G"),
                                        TimeCode::Default(), &reserved),
                   " "),
              c.segments)
        << c.type << c.basis << c.wrap;
  }
}

}  // namespace
}  // namespace stagedoor
