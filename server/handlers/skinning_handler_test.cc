#include "server/handlers/skinning_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scene/testing/skeleton_text.h"
#include "server/testing/packed_values.h"
#include "server/testing/skel_scene_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

void ExpectNear(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

class SkinningHandlerTest : public SkelSceneTest {
 protected:
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
};

TEST_F(SkinningHandlerTest, SkinsPrimsAtTimesInEitherSpace) {
  auto request = MakeRequest<v1::ComputeSkinnedPointsRequest>({"/C/M"}, {0, 10});
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

TEST_F(SkinningHandlerTest, WarnsAboutMalformedInfluencesAndSkinsTheRest) {
  const auto messages =
      All(&Client::ComputeSkinnedPoints, MakeRequest<v1::ComputeSkinnedPointsRequest>({}, {0}));
  ASSERT_EQ(messages.size(), 1u);
  ASSERT_EQ(messages[0].items_size(), 2);
  EXPECT_TRUE(messages[0].items(0).has_points());
  EXPECT_EQ(messages[0].items(1).path(), "/C/Bad");
  EXPECT_FALSE(messages[0].items(1).has_points());
  ASSERT_EQ(messages[0].warnings_size(), 1);
  const v1::Warning& warning = messages[0].warnings(0);
  EXPECT_EQ(warning.kind(), v1::Warning::KIND_INVALID_SKEL);
  EXPECT_EQ(warning.path(), "/C/Bad");
  EXPECT_EQ(warning.asset(), "");
  EXPECT_NE(warning.message().find("out of range"), std::string::npos);
}

TEST_F(SkinningHandlerTest, ReportsUnboundPrimsOnceForAllTimes) {
  const auto items = Skin(MakeRequest<v1::ComputeSkinnedPointsRequest>({"/X", "/C/M"}, {0, 10}));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].path(), "/X");
  EXPECT_EQ(items[0].error().reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_FALSE(items[0].has_points());
  EXPECT_EQ(items[1].path(), "/C/M");
  EXPECT_FALSE(items[1].has_error());
  EXPECT_EQ(items[2].time_index(), 1u);
}

TEST_F(SkinningHandlerTest, SkinsComeInOrderSplitAtTheServersMessageSize) {
  std::vector<double> frames;
  for (int i = 0; i < 20; ++i) frames.push_back(i % 11);
  const auto all = Skin(MakeRequest<v1::ComputeSkinnedPointsRequest>({}, frames));
  ASSERT_EQ(all.size(), 40u) << "more than one batch";
  for (size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(all[i].path(), i < 20 ? "/C/M" : "/C/Bad") << i;
    EXPECT_EQ(all[i].time_index(), i % 20) << i;
  }
  ExpectNear(Unpack<float>(all[7].points()), {0, 1, 0, 0, 1 + 2 + 1.4f, 0});
  ServerOptions options;
  options.limits.message_bytes = 500;
  Start(options);
  stage_ = Open();
  const auto parts =
      All(&Client::ComputeSkinnedPoints, MakeRequest<v1::ComputeSkinnedPointsRequest>({}, frames));
  EXPECT_GT(parts.size(), 5u);
  size_t next = 0;
  int warnings = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].snapshot().empty(), i != 0);
    if (parts[i].warnings_size() != 0 && warnings == 0) {
      EXPECT_EQ(parts[i].items().rbegin()->path(), "/C/Bad") << "the message that met it first";
    }
    warnings += parts[i].warnings_size();
    EXPECT_GT(parts[i].items_size(), 0) << i;
    for (const v1::SkinnedPrim& item : parts[i].items()) {
      EXPECT_EQ(item.DebugString(), all[next++].DebugString());
    }
  }
  EXPECT_EQ(next, 40u);
  EXPECT_EQ(warnings, 1) << "not one for each time";
}

TEST_F(SkinningHandlerTest, SkinsDuplicatePathsOnce) {
  const auto items =
      Skin(MakeRequest<v1::ComputeSkinnedPointsRequest>({"/C/Bad", "/C/M", "/C/Bad", "/C/M"}, {0}));
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].path(), "/C/Bad");
  EXPECT_EQ(items[1].path(), "/C/M");
}

TEST_F(SkinningHandlerTest, NormalsAndJointsAreFilledOnRequest) {
  const auto plain = Skin(MakeRequest<v1::ComputeSkinnedPointsRequest>({"/C/M"}, {0}));
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_FALSE(plain[0].has_normals());
  EXPECT_FALSE(plain[0].has_joint_transforms());
  EXPECT_EQ(plain[0].joint_order_size(), 0);
  EXPECT_FALSE(plain[0].has_xform());
  EXPECT_FALSE(plain[0].rigid());
  EXPECT_EQ(plain[0].skeleton(), "/C/Skel");
  EXPECT_EQ(plain[0].animation_source(), "/C/Anim");
  EXPECT_EQ(plain[0].points().count(), 2u);
}

TEST_F(SkinningHandlerTest, RejectsTooManyPathsAndMissingPrims) {
  EXPECT_EQ(
      ErrorReason(End(&Client::ComputeSkinnedPoints,
                      MakeRequest<v1::ComputeSkinnedPointsRequest>({"/C/M", "/Nobody"}, {0}))),
      "PRIM_NOT_FOUND");
  EXPECT_EQ(ErrorReason(End(&Client::ComputeSkinnedPoints,
                            MakeRequest<v1::ComputeSkinnedPointsRequest>({"/C/M"}, {}))),
            "INVALID_TIME");
  ServerOptions options;
  options.limits.max_paths = 1;
  options.limits.max_times = 2;
  Start(options);
  stage_ = Open();
  const auto reason = [&](const Strings& paths, const std::vector<double>& frames) {
    return ErrorReason(End(&Client::ComputeSkinnedPoints,
                           MakeRequest<v1::ComputeSkinnedPointsRequest>(paths, frames)));
  };
  EXPECT_EQ(reason({"/C/M"}, {0, 1}), "");
  EXPECT_EQ(reason({"/C/M", "/C/M"}, {0}), "REQUEST_TOO_LARGE");
  EXPECT_EQ(reason({"/C/M"}, {0, 1, 2}), "REQUEST_TOO_LARGE");
}

TEST_F(SkinningHandlerTest, ReportsWhyAPrimIsNotSkinned) {
  Write("root.usda", R"(
def SkelRoot "R" {
  def Mesh "Free" {}
  def Mesh "Lost" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    rel skel:skeleton = </R/NoSkeleton>
    int[] primvars:skel:jointIndices = [0] ( elementSize = 1; interpolation = "constant" )
    float[] primvars:skel:jointWeights = [1] ( elementSize = 1; interpolation = "constant" )
  }
  def Skeleton "NoSkeleton" {
    uniform token[] joints = ["a/b", "a"]
  }
}
)");
  stage_ = Open();
  const auto items =
      Skin(MakeRequest<v1::ComputeSkinnedPointsRequest>({"/R/Free", "/R/Lost"}, {0, 1}));
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].error().reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(items[0].error().message(), "/R/Free is not bound to a Skeleton");
  EXPECT_EQ(items[1].error().message(), "/R/NoSkeleton is not a valid Skeleton");
}

TEST_F(SkinningHandlerTest, RigidPrimsMoveAsAWhole) {
  Write("root.usda", std::string(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)") + kTwoJoints + R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations = [(0, 4, 0)]
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0)]
    int[] primvars:skel:jointIndices = [1] (
      elementSize = 1
      interpolation = "constant"
    )
    float[] primvars:skel:jointWeights = [1] (
      elementSize = 1
      interpolation = "constant"
    )
  }
}
)");
  stage_ = Open();
  const auto items = Skin(MakeRequest<v1::ComputeSkinnedPointsRequest>({"/C/M"}, {0}));
  ASSERT_EQ(items.size(), 1u);
  EXPECT_TRUE(items[0].rigid());
  EXPECT_EQ(items[0].xform().shape(), v1::ELEMENT_SHAPE_MATRIX);
  const auto xform = Unpack<double>(items[0].xform());
  ASSERT_EQ(xform.size(), 16u);
  EXPECT_EQ(xform[0], 1);
  EXPECT_EQ(xform[13], 2);
  EXPECT_EQ(xform[15], 1);
}

// The character, and more instances of it side by side than fit in one batch.
class CrowdTest : public SkinningHandlerTest {
 protected:
  static constexpr int kInstances = 20;

  void SetUp() override {
    SkinningHandlerTest::SetUp();
    std::string text = "(\n  subLayers = [@root.usda@]\n)\ndef Xform \"Crowd\" {\n";
    for (int i = 0; i < kInstances; ++i) {
      text +=
          Concat("  def \"I", i, "\" (\n    instanceable = true\n    references = </C>\n  ) {\n",
                 "    double3 xformOp:translate = (", i, ", 0, 0)\n  }\n");
    }
    Write("crowd.usda", text + "}\n");
    v1::OpenStageRequest request;
    request.set_root_layer("/crowd.usda");
    stage_ = Open(request);
  }
  v1::ComputeSkinnedPointsRequest Request() {
    Strings paths;
    for (int i = 0; i < kInstances; ++i) paths.push_back(Concat("/Crowd/I", i, "/M"));
    auto request = MakeRequest<v1::ComputeSkinnedPointsRequest>(paths, {0, 10});
    request.set_with_normals(true);
    return request;
  }
};

TEST_F(CrowdTest, InstancesDeformLikeTheirCharacter) {
  const auto items = Skin(Request());
  ASSERT_EQ(items.size(), 2u * kInstances);
  for (size_t i = 0; i < items.size(); ++i) {
    const bool later = i % 2 != 0;
    SCOPED_TRACE(items[i].path());
    EXPECT_EQ(items[i].path(), Concat("/Crowd/I", i / 2, "/M"));
    EXPECT_EQ(items[i].time_index(), later ? 1u : 0u);
    EXPECT_EQ(items[i].skeleton(), Concat("/Crowd/I", i / 2, "/Skel"));
    ExpectNear(Unpack<float>(items[i].points()), {0, 1, 0, 0, later ? 5.F : 3.F, 0});
    ExpectNear(Unpack<float>(items[i].normals()), {0, 1, 0, 0, 1, 0});
  }
}

TEST_F(CrowdTest, InWorldSpaceInstancesHaveTheirOwnPlaces) {
  auto request = Request();
  request.set_world_space(true);
  const auto items = Skin(request);
  ASSERT_EQ(items.size(), 2u * kInstances);
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t instance = i / 2;
    const auto x = static_cast<float>(instance);
    const float y = i % 2 != 0 ? 5 : 3;
    SCOPED_TRACE(items[i].path());
    ExpectNear(Unpack<float>(items[i].points()), {x, 1, 0, x, y, 0});
  }
}

}  // namespace
}  // namespace stagedoor::server
