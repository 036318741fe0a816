#include "server/handlers/skel_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/packed_values.h"
#include "server/testing/skel_scene_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

class SkelHandlersTest : public SkelSceneTest {
 protected:
  // Opens the scene with opinions over the character.
  void OpenOver(const std::string& opinions) {
    Write("over.usda",
          "(\n    subLayers = [@./root.usda@]\n)\nover \"C\"\n{\n" + opinions + "\n}\n");
    v1::OpenStageRequest open;
    open.set_root_layer("/over.usda");
    stage_ = Open(open);
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
};

TEST_F(SkelHandlersTest, ListsBindings) {
  v1::ListSkelBindingsRequest request;
  *request.mutable_stage() = stage_;
  std::vector<v1::SkelBinding> bindings;
  const auto collect = [&](const v1::ListSkelBindingsResponse& part) {
    EXPECT_EQ(part.snapshot().size(), 32u);
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

TEST_F(SkelHandlersTest, MalformedBindingsAreWarnings) {
  OpenOver(R"(over "M" {
    float[] primvars:skel:jointWeights (elementSize = 2)
})");
  v1::ListSkelBindingsRequest request;
  *request.mutable_stage() = stage_;
  const auto messages = All(&Client::ListSkelBindings, request);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].bindings_size(), 2);
  ASSERT_EQ(messages[0].warnings_size(), 1);
  EXPECT_EQ(messages[0].warnings(0).kind(), v1::Warning::KIND_INVALID_SKEL);
  EXPECT_EQ(messages[0].warnings(0).path(), "/C/M");
  EXPECT_NE(messages[0].warnings(0).message().find("elementSize"), std::string::npos);
}

TEST_F(SkelHandlersTest, MissingClipsOfAnimationsAreWarnings) {
  Write("manifest.usda", "def \"A\" { float3[] translations; }\n");
  OpenOver(R"(over "Skel" {
    rel skel:animationSource = </C/Clipped>
}
def SkelAnimation "Clipped" (
    clips = { dictionary default = {
        asset[] assetPaths = [@./gone.usda@]
        double2[] active = [(0, 0)]
        asset manifestAssetPath = @./manifest.usda@
        string primPath = "/A"
    } }
) {
    uniform token[] joints = ["a/b"]
    float3[] translations
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
})");
  const auto messages = All(&Client::ComputeJointTransforms,
                            MakeRequest<v1::ComputeJointTransformsRequest>({"/C/Skel"}, {0, 10}));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].items_size(), 2);
  ASSERT_EQ(messages[0].warnings_size(), 1);
  EXPECT_EQ(messages[0].warnings(0).kind(), v1::Warning::KIND_MISSING_ASSET);
  EXPECT_EQ(messages[0].warnings(0).asset(), "./gone.usda");
}

TEST_F(SkelHandlersTest, ReturnsJointsOfSkeletonsAndOfSkinnedPrims) {
  auto request = MakeRequest<v1::ComputeJointTransformsRequest>({"/C/Skel", "/C/M", "/X"}, {10});
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
  const auto bounds = client().ComputeBounds(MakeRequest<v1::ComputeBoundsRequest>({"/C"}, {0}));
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  EXPECT_EQ(Unpack<double>(bounds->bounds())[2], 5);
}

TEST_F(SkelHandlersTest, BindingsAreSplitAtTheServersMessageSize) {
  ServerOptions options;
  options.limits.message_bytes = 100;
  options.limits.max_paths = 2;
  Start(options);
  stage_ = Open();
  v1::ListSkelBindingsRequest request;
  *request.mutable_stage() = stage_;
  request.add_roots("/X");
  request.add_roots("/C");
  const auto parts = All(&Client::ListSkelBindings, request);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].bindings_size(), 1);
  EXPECT_EQ(parts[1].bindings(0).path(), "/C/Bad");
  request.add_roots("/C");
  EXPECT_EQ(ErrorReason(End(&Client::ListSkelBindings, request)), "REQUEST_TOO_LARGE");
  request.clear_roots();
  request.add_roots("/Nobody");
  EXPECT_EQ(ErrorReason(End(&Client::ListSkelBindings, request)), "PRIM_NOT_FOUND");
  request.clear_roots();
  request.add_roots("/X");
  const auto none = All(&Client::ListSkelBindings, request);
  ASSERT_EQ(none.size(), 1u) << "a message with the snapshot";
  EXPECT_EQ(none[0].snapshot().size(), 32u);
  EXPECT_EQ(none[0].bindings_size(), 0);
}

TEST_F(SkelHandlersTest, JointsAreInTheRequestedSpace) {
  auto request = MakeRequest<v1::ComputeJointTransformsRequest>({"/C/Skel"}, {0, 10});
  const auto y = [&](v1::JointSpace space, bool at_rest) {
    request.set_space(space);
    request.set_at_rest(at_rest);
    const auto items = Joints(request);
    EXPECT_EQ(items.size(), 2u);
    EXPECT_EQ(items[1].joint_order_size(), 0) << "sent once per path";
    std::vector<double> numbers = Unpack<double>(items[1].transforms());
    EXPECT_EQ(numbers.size(), 32u);
    return std::vector<double>{numbers[16 + 13], numbers[16 + 14]};
  };
  EXPECT_EQ(y(v1::JOINT_SPACE_UNSPECIFIED, false), (std::vector<double>{4, 0}));
  EXPECT_EQ(y(v1::JOINT_SPACE_LOCAL, false), (std::vector<double>{4, 0}));
  EXPECT_EQ(y(v1::JOINT_SPACE_SKINNING, false), (std::vector<double>{2, 0}));
  EXPECT_EQ(y(v1::JOINT_SPACE_WORLD, false), (std::vector<double>{4, 5}));
  EXPECT_EQ(y(v1::JOINT_SPACE_UNSPECIFIED, true), (std::vector<double>{2, 0}));
  EXPECT_EQ(y(v1::JOINT_SPACE_LOCAL, true), (std::vector<double>{2, 0}));
  EXPECT_EQ(y(v1::JOINT_SPACE_WORLD, true), (std::vector<double>{2, 5}));
}

TEST_F(SkelHandlersTest, JointsAreLookedUpForEachPath) {
  const auto items = Joints(MakeRequest<v1::ComputeJointTransformsRequest>(
      {"/Nobody", "/C/M", "/X", "/C/Skel", "/C/M"}, {0, 10}));
  ASSERT_EQ(items.size(), 10u);
  for (uint32_t i = 0; i < 10; ++i) EXPECT_EQ(items[i].item(), i);
  EXPECT_EQ(items[1].error().reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(items[1].error().item(), 1u);
  EXPECT_EQ(items[5].error().reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(items[5].error().message(), "/X is neither a valid Skeleton nor bound to one");
  EXPECT_EQ(items[2].joint_order(0), "a/b");
  EXPECT_EQ(items[6].joint_order(0), "a");
  EXPECT_EQ(items[8].joint_order(0), "a/b");
  EXPECT_EQ(Unpack<double>(items[3].transforms())[13], 4);
  EXPECT_EQ(Unpack<double>(items[7].transforms())[16 + 13], 4);
}

TEST_F(SkelHandlersTest, JointsAreSplitAtTheServersMessageSize) {
  ServerOptions options;
  options.limits.message_bytes = 100;
  Start(options);
  stage_ = Open();
  const auto parts = All(&Client::ComputeJointTransforms,
                         MakeRequest<v1::ComputeJointTransformsRequest>({"/C/Skel"}, {0, 5, 10}));
  ASSERT_EQ(parts.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(parts[i].snapshot().empty(), i != 0);
    ASSERT_EQ(parts[i].items_size(), 1);
    EXPECT_EQ(parts[i].items(0).item(), i);
  }
}

}  // namespace
}  // namespace stagedoor::server
