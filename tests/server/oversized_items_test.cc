// Items of streams that exceed the limit of a reply: each is an error, and the items around it are
// complete.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

constexpr int kMany = 400;
constexpr const char* kTooLarge = "REQUEST_TOO_LARGE";

// `count` items, separated by commas; '#' stands for the number of the item.
std::string List(int count, std::string_view item) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    const size_t number = item.find('#');
    list += i == 0 ? "" : ", ";
    list += item.substr(0, number);
    if (number != std::string_view::npos) list += Concat(i, item.substr(number + 1));
  }
  return list;
}

class OversizedItemsTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerOptions options;
    options.limits.max_reply_bytes = 10000;
    Start(options);
  }

  // The items of all messages of a stream.
  template <typename Item, typename Request, typename Response>
  std::vector<Item> Items(absl::Status (Client::*method)(const Request&,
                                                         const Client::Sink<Response>&),
                          const Request& request) {
    std::vector<Item> items;
    for (const Response& part : All(method, request)) {
      items.insert(items.end(), part.items().begin(), part.items().end());
    }
    return items;
  }

  // The reason why an item failed; empty if it did not.
  template <typename Item>
  static std::string Reason(const Item& item) {
    if (!item.has_error()) return "";
    return v1::ErrorReason_Name(item.error().reason()).substr(std::string("ERROR_REASON_").size());
  }
};

TEST_F(OversizedItemsTest, Samples) {
  Write("root.usda", Concat("def \"P\" {\n  string[] words.timeSamples = { 1: [\"a\"], 2: [",
                            List(kMany, "\"a word of some length #\""), "], 3: [\"c\"] }\n}\n"));
  v1::SampleValuesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/P.words");
  v1::TimeInterval* const interval = request.add_intervals();
  interval->set_start(1);
  interval->set_end(3);
  std::vector<v1::ValueSample> samples;
  for (const auto& item : Items<v1::SampledItem>(&Client::SampleValues, request)) {
    samples.insert(samples.end(), item.samples().begin(), item.samples().end());
  }
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].state(), v1::ITEM_STATE_VALUE);
  EXPECT_EQ(samples[1].state(), v1::ITEM_STATE_ERROR);
  EXPECT_EQ(Reason(samples[1]), kTooLarge);
  EXPECT_EQ(samples[1].time(), 2);
  EXPECT_FALSE(samples[1].has_value());
  EXPECT_EQ(samples[2].state(), v1::ITEM_STATE_VALUE);
  EXPECT_EQ(samples[2].value().string_array().values(0), "c");
}

// Skeletons with many and with one joint, each of which moves a mesh.
std::string Skeletons() {
  constexpr const char* kIdentity = "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))";
  std::string text = "def SkelRoot \"R\" ( prepend apiSchemas = [\"SkelBindingAPI\"] ) {\n";
  const struct {
    const char* name;
    int joints;
  } kSkeletons[] = {{"Big", kMany}, {"Small", 1}};
  for (const auto& [name, joints] : kSkeletons) {
    const std::string matrices = List(joints, kIdentity);
    text += Concat("  def Skeleton \"", name, "\" {\n    uniform token[] joints = [",
                   List(joints, "\"a_joint_of_some_length_#\""),
                   "]\n    uniform matrix4d[] bindTransforms = [", matrices,
                   "]\n    uniform matrix4d[] restTransforms = [", matrices, "]\n  }\n");
    text += Concat("  def Mesh \"", name, R"(Mesh" ( prepend apiSchemas = ["SkelBindingAPI"] ) {
    rel skel:skeleton = </R/)",
                   name, R"(>
    point3f[] points = [(0, 1, 0)]
    int[] primvars:skel:jointIndices = [0] ( elementSize = 1; interpolation = "constant" )
    float[] primvars:skel:jointWeights = [1] ( elementSize = 1; interpolation = "constant" )
  }
)");
  }
  return text + "}\n";
}

TEST_F(OversizedItemsTest, JointTransforms) {
  Write("root.usda", Skeletons());
  const auto items = Items<v1::JointTransforms>(
      &Client::ComputeJointTransforms, RequestFor<v1::ComputeJointTransformsRequest>(
                                           Open(), {"/R/Small", "/R/Big", "/R/Small"}, {1}));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(Reason(items[0]), "");
  EXPECT_EQ(Reason(items[1]), kTooLarge);
  EXPECT_EQ(items[1].item(), 1u);
  EXPECT_EQ(items[1].joint_order_size(), 0);
  EXPECT_EQ(Reason(items[2]), "");
  EXPECT_EQ(items[2].joint_order(0), "a_joint_of_some_length_0");
}

TEST_F(OversizedItemsTest, SkinnedPrims) {
  Write("root.usda", Skeletons());
  auto request =
      RequestFor<v1::ComputeSkinnedPointsRequest>(Open(), {"/R/BigMesh", "/R/SmallMesh"}, {1});
  request.set_with_joints(true);
  const auto items = Items<v1::SkinnedPrim>(&Client::ComputeSkinnedPoints, request);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(Reason(items[0]), kTooLarge);
  EXPECT_EQ(items[0].path(), "/R/BigMesh");
  EXPECT_EQ(items[0].joint_order_size(), 0);
  EXPECT_EQ(Reason(items[1]), "");
  EXPECT_EQ(items[1].path(), "/R/SmallMesh");
  EXPECT_EQ(items[1].joint_order_size(), 1);
}

TEST_F(OversizedItemsTest, Skinning) {
  Write("root.usda", Skeletons());
  const auto request =
      RequestFor<v1::ComputeSkinningRequest>(Open(), {"/R/SmallMesh", "/R/BigMesh"}, {1, 2});
  std::vector<v1::ComputeSkinningResponse> parts = All(&Client::ComputeSkinning, request);
  v1::ComputeSkinningResponse all;
  for (const v1::ComputeSkinningResponse& part : parts) all.MergeFrom(part);
  ASSERT_EQ(all.items_size(), 4);
  EXPECT_EQ(Reason(all.items(0)), "");
  EXPECT_EQ(Reason(all.items(1)), "");
  for (const int i : {2, 3}) {
    EXPECT_EQ(Reason(all.items(i)), kTooLarge);
    EXPECT_EQ(all.items(i).path(), "/R/BigMesh");
    EXPECT_EQ(all.items(i).binding(), 0u);
  }
  ASSERT_EQ(all.skeletons_size(), 1) << "what is too large does not stay behind";
  EXPECT_EQ(all.skeletons(0).joint_order_size(), 1);
  EXPECT_EQ(all.bindings_size(), 1);
}

TEST_F(OversizedItemsTest, InstanceTransforms) {
  Write("root.usda", Concat(R"(def PointInstancer "Big" {
    rel prototypes = [)",
                            List(kMany, "</a_prototype_of_some_length_#>"), R"(]
    int[] protoIndices = [0]
    point3f[] positions = [(0, 0, 0)]
}
def PointInstancer "Small" {
    rel prototypes = </P>
    int[] protoIndices = [0]
    point3f[] positions = [(0, 0, 0)]
}
def Xform "P" {}
)"));
  const auto items = Items<v1::InstancerTransforms>(
      &Client::ComputeInstanceTransforms,
      RequestFor<v1::ComputeInstanceTransformsRequest>(Open(), {"/Small", "/Big", "/Small"}, {1}));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(Reason(items[0]), "");
  EXPECT_EQ(Reason(items[1]), kTooLarge);
  EXPECT_EQ(items[1].item(), 1u);
  EXPECT_EQ(items[1].prototypes_size(), 0);
  EXPECT_EQ(Reason(items[2]), "");
  EXPECT_EQ(items[2].prototypes(0), "/P");
}

}  // namespace
}  // namespace stagedoor::server
