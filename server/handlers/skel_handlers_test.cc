#include "server/handlers/skel_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scene/testing/skeleton_text.h"
#include "server/testing/packed_values.h"
#include "server/testing/test_server.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

void ExpectNear(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

class SkelHandlersTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", std::string(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  double3 xformOp:translate = (0, 0, 5)
  uniform token[] xformOpOrder = ["xformOp:translate"]
)") + kTwoJoints +
                           R"(  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations.timeSamples = { 0: [(0, 2, 0)], 10: [(0, 4, 0)] }
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
    normal3f[] normals = [(0, 1, 0), (0, 1, 0)] (
      interpolation = "vertex"
    )
    uniform token[] skel:joints = ["a/b", "a"]
    int[] primvars:skel:jointIndices = [1, 0] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
  }
  def Mesh "Bad" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0)]
    int[] primvars:skel:jointIndices = [7] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1] (
      elementSize = 1
      interpolation = "vertex"
    )
  }
}
def Xform "X" {
}
)");
    stage_ = Open();
  }

  template <typename Request>
  Request Ask(const Strings& paths, const std::vector<double>& frames) {
    return RequestFor<Request>(stage_, paths, frames);
  }
  std::vector<v1::SkinnedPrim> Skin(const v1::ComputeSkinnedPointsRequest& request) {
    std::vector<v1::SkinnedPrim> items;
    const absl::Status status =
        client().ComputeSkinnedPoints(request, [&](const v1::ComputeSkinnedPointsResponse& part) {
          items.insert(items.end(), part.items().begin(), part.items().end());
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return items;
  }
  std::vector<v1::JointTransforms> Joints(const v1::ComputeJointTransformsRequest& request) {
    std::vector<v1::JointTransforms> items;
    const absl::Status status = client().ComputeJointTransforms(
        request, [&](const v1::ComputeJointTransformsResponse& part) {
          items.insert(items.end(), part.items().begin(), part.items().end());
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return items;
  }

  v1::StageRef stage_;
};

TEST_F(SkelHandlersTest, ListsBindings) {
  v1::ListSkelBindingsRequest request;
  *request.mutable_stage() = stage_;
  std::vector<v1::SkelBinding> bindings;
  const auto collect = [&](const v1::ListSkelBindingsResponse& part) {
    EXPECT_NE(part.snapshot(), 0u);
    bindings.insert(bindings.end(), part.bindings().begin(), part.bindings().end());
    return absl::OkStatus();
  };
  ASSERT_TRUE(client().ListSkelBindings(request, collect).ok());
  ASSERT_EQ(bindings.size(), 2u);
  EXPECT_EQ(bindings[0].path(), "/C/M");
  EXPECT_EQ(bindings[0].skel_root(), "/C");
  EXPECT_EQ(bindings[0].skeleton(), "/C/Skel");
  EXPECT_EQ(bindings[0].animation_source(), "/C/Anim");
  EXPECT_EQ(Strings(bindings[0].joint_order().begin(), bindings[0].joint_order().end()),
            (Strings{"a/b", "a"}));
  EXPECT_FALSE(bindings[0].rigid());
  EXPECT_FALSE(bindings[0].has_blend_shapes());
  bindings.clear();
  request.add_roots("/X");
  ASSERT_TRUE(client().ListSkelBindings(request, collect).ok());
  EXPECT_TRUE(bindings.empty());
}

TEST_F(SkelHandlersTest, SkinsPrimsAtTimesInEitherSpace) {
  auto request = Ask<v1::ComputeSkinnedPointsRequest>({"/C/M"}, {0, 10});
  request.set_with_normals(true);
  request.set_with_joints(true);
  const auto own = Skin(request);
  ASSERT_EQ(own.size(), 2u);
  ExpectNear(Unpack<float>(own[0].points()), {0, 1, 0, 0, 3, 0});
  EXPECT_EQ(own[1].time_index(), 1u);
  ExpectNear(Unpack<float>(own[1].points()), {0, 1, 0, 0, 5, 0});
  ExpectNear(Unpack<float>(own[1].normals()), {0, 1, 0, 0, 1, 0});
  EXPECT_EQ(own[1].joint_order(0), "a/b");
  EXPECT_EQ(Unpack<double>(own[1].joint_transforms())[13], 2);
  request.set_world_space(true);
  const auto world = Skin(request);
  ASSERT_EQ(world.size(), 2u);
  ExpectNear(Unpack<float>(world[1].points()), {0, 1, 5, 0, 5, 5});
}

TEST_F(SkelHandlersTest, NamesWhatDoesNotFitAndAnswersTheRest) {
  const auto items = Skin(Ask<v1::ComputeSkinnedPointsRequest>({}, {0}));
  ASSERT_EQ(items.size(), 2u);
  EXPECT_TRUE(items[0].warnings().empty());
  EXPECT_TRUE(items[0].has_points());
  ASSERT_EQ(items[1].path(), "/C/Bad");
  ASSERT_EQ(items[1].warnings_size(), 1);
  EXPECT_NE(items[1].warnings(0).find("out of range"), std::string::npos);
  EXPECT_FALSE(items[1].has_points());
}

TEST_F(SkelHandlersTest, SaysWhatIsNotBoundOnceForAllTimes) {
  const auto items = Skin(Ask<v1::ComputeSkinnedPointsRequest>({"/X", "/C/M"}, {0, 10}));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].path(), "/X");
  EXPECT_EQ(items[0].error().reason(), "WRONG_KIND");
  EXPECT_FALSE(items[0].has_points());
  EXPECT_EQ(items[1].path(), "/C/M");
  EXPECT_FALSE(items[1].has_error());
  EXPECT_EQ(items[2].time_index(), 1u);
}

TEST_F(SkelHandlersTest, GivesJointsOfSkeletonsAndOfSkinnedPrims) {
  auto request = Ask<v1::ComputeJointTransformsRequest>({"/C/Skel", "/C/M", "/X"}, {10});
  request.set_space(v1::JOINT_SPACE_WORLD);
  const auto items = Joints(request);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].joint_order(1), "a/b");
  EXPECT_EQ(Unpack<double>(items[0].transforms())[16 + 13], 4);
  EXPECT_EQ(Unpack<double>(items[0].transforms())[16 + 14], 5);
  EXPECT_EQ(items[1].joint_order(0), "a/b");
  EXPECT_EQ(Unpack<double>(items[1].transforms())[13], 4);
  EXPECT_TRUE(items[2].has_error());
  EXPECT_FALSE(items[1].has_error());
  request.set_at_rest(true);
  request.set_space(v1::JOINT_SPACE_LOCAL);
  EXPECT_EQ(Unpack<double>(Joints(request)[0].transforms())[16 + 13], 2);
}

TEST_F(SkelHandlersTest, BoundsOfSkelRootsAreThoseOfTheirJoints) {
  const auto bounds = client().ComputeBounds(Ask<v1::ComputeBoundsRequest>({"/C"}, {0}));
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  EXPECT_EQ(bounds->bounds(2), 5);
}

}  // namespace
}  // namespace stagedoor
