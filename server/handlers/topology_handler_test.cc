#include "server/handlers/topology_handler.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "server/testing/geom_scene_test.h"
#include "server/testing/packed_values.h"

namespace stagedoor::server {
namespace {

using Ints = std::vector<int>;

class TopologyHandlerTest : public GeomSceneTest {
 protected:
  void SetUp() override {
    GeomSceneTest::SetUp();
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
def BasisCurves "Odd" {
  uniform token basis = "odd"
  int[] curveVertexCounts = [4]
}
def HermiteCurves "H" {
  int[] curveVertexCounts = [2]
  point3f[] points = [(0, 0, 0), (1, 0, 0)]
  vector3f[] tangents.timeSamples = { 0: [(0, 1, 0), (0, 2, 0)], 5: [(0, 1, 0)] }
}
def PointInstancer "I" {
  int[] protoIndices = [0, 0, 0]
}
def Xform "X" {
}
)");
    stage_ = Open();
  }
  static v1::ComputeTopologyRequest WithAll(v1::ComputeTopologyRequest request) {
    request.set_with_surface_faces(true);
    request.set_with_inverted_elements(true);
    request.set_with_segment_counts(true);
    request.set_with_tangents(true);
    request.set_with_problems(true);
    return request;
  }
  std::vector<v1::PrimTopology> Items(const v1::ComputeTopologyRequest& request) {
    std::vector<v1::PrimTopology> found;
    for (const auto& part : All(&Client::ComputeTopology, request)) {
      found.insert(found.end(), part.items().begin(), part.items().end());
    }
    return found;
  }
};

TEST_F(TopologyHandlerTest, ExaminesMeshesAtTimes) {
  const auto found =
      Items(WithAll(MakeRequest<v1::ComputeTopologyRequest>({"/M", "/None", "/X"}, {0, 5})));
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].schema_type(), "Mesh");
  EXPECT_EQ(found[0].element_count(), 1u);
  EXPECT_EQ(found[0].point_count(), 3u);
  EXPECT_EQ(found[0].problem(), "");
  EXPECT_EQ(found[1].item(), 1u);
  EXPECT_EQ(found[1].element_count(), 2u);
  EXPECT_EQ(found[1].problem(),
            "faceVertexCounts add up to 6, but the number of faceVertexIndices is 3");
  EXPECT_EQ(found[2].error().reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(found[4].schema_type(), "");
  EXPECT_FALSE(found[4].has_error());
}

TEST_F(TopologyHandlerTest, ReturnsSurfacesOfTetMeshes) {
  const auto request = MakeRequest<v1::ComputeTopologyRequest>({"/T"}, {0});
  const auto found = Items(WithAll(request));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].element_count(), 1u);
  EXPECT_EQ(Unpack<int>(found[0].surface_faces()), (Ints{0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2}));
  EXPECT_EQ(Unpack<int>(found[0].inverted_elements()), Ints{0});
  const auto plain = Items(request);
  EXPECT_FALSE(plain[0].has_surface_faces()) << "not requested";
  EXPECT_FALSE(plain[0].has_inverted_elements()) << "not requested";
}

TEST_F(TopologyHandlerTest, ReturnsSizesOfBasisCurves) {
  auto request = MakeRequest<v1::ComputeTopologyRequest>({"/B", "/Odd"}, {0});
  for (const uint64_t size : {11u, 5u, 9u}) request.add_data_sizes(size);
  const auto found = Items(WithAll(request));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(Unpack<int>(found[0].segment_counts()), (Ints{1, 2}));
  const v1::CurveDataSizes& sizes = found[0].data_sizes();
  EXPECT_EQ(sizes.uniform(), 2u);
  EXPECT_EQ(sizes.varying(), 5u);
  EXPECT_EQ(sizes.vertex(), 11u);
  EXPECT_EQ(std::vector<std::string>(sizes.interpolations().begin(), sizes.interpolations().end()),
            (std::vector<std::string>{"vertex", "varying", ""}));
  EXPECT_FALSE(found[1].data_sizes().has_varying());
  EXPECT_EQ(Unpack<int>(found[1].segment_counts()), Ints{});
  for (int i = 0; i < 20; ++i) request.add_data_sizes(1);
  const auto ignore = [](const v1::ComputeTopologyResponse&) { return absl::OkStatus(); };
  EXPECT_EQ(ErrorReason(client().ComputeTopology(request, ignore)), "REQUEST_TOO_LARGE");
}

TEST_F(TopologyHandlerTest, ReturnsTangentsOfHermiteCurves) {
  const auto request = MakeRequest<v1::ComputeTopologyRequest>({"/H", "/I"}, {0, 5});
  const auto found = Items(WithAll(request));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].element_count(), 1u);
  EXPECT_EQ(Unpack<float>(found[0].points()), (std::vector<float>{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(Unpack<float>(found[0].tangents()), (std::vector<float>{0, 1, 0, 0, 2, 0}));
  EXPECT_EQ(found[0].problem(), "");
  EXPECT_EQ(Unpack<float>(found[1].points()), std::vector<float>{});
  EXPECT_EQ(found[1].problem(), "the number of points is 2, but the number of tangents is 1");
  EXPECT_EQ(found[2].schema_type(), "PointInstancer");
  EXPECT_EQ(found[2].element_count(), 3u);
  EXPECT_EQ(found[2].point_count(), 0u);
  EXPECT_FALSE(Items(request)[0].has_tangents()) << "not requested";
}

}  // namespace
}  // namespace stagedoor::server
