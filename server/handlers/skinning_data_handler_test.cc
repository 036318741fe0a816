// Expected values come from UsdSkel.
#include "server/handlers/skinning_data_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/testing/skeleton_text.h"
#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kInfluences = R"(
    uniform token[] skel:joints = ["a/b", "gone", "a"]
    int[] primvars:skel:jointIndices = [2, 0, 0, 2] (
      elementSize = 2
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 0, 0.5, 0.5] (
      elementSize = 2
      interpolation = "vertex"
    )
    matrix4d primvars:skel:geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (3, 0, 0, 1))
    uniform token primvars:skel:skinningMethod = "dualQuaternion"
)";
constexpr std::string_view kBlendShapes = R"(
    uniform token[] skel:blendShapes = ["one", "two"]
    rel skel:blendShapeTargets = [</C/M/One>, </C/M/Two>]
    def BlendShape "One" {
      uniform vector3f[] offsets = [(1, 0, 0), (0, 1, 0)]
    }
    def BlendShape "Two" {
      uniform vector3f[] offsets = [(0, 0, 8)]
      uniform vector3f[] normalOffsets = [(1, 0, 0)]
      uniform int[] pointIndices = [1]
      uniform vector3f[] inbetweens:half = [(0, 0, 2)] (
        weight = 0.5
      )
    }
)";

class SkinningDataHandlerTest : public ServerTest {
 protected:
  // A character with a mesh M that has these properties, and more in its SkelRoot.
  void Rig(std::string_view mesh, std::string_view more = "") {
    Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  double3 xformOp:translate = (0, 0, 5)
  uniform token[] xformOpOrder = ["xformOp:translate"]
)",
                              kTwoJoints, R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations.timeSamples = { 0: [(0, 2, 0)], 10: [(0, 4, 0)] }
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
    uniform token[] blendShapes = ["two", "one"]
    float[] blendShapeWeights.timeSamples = { 0: [0.25, 1], 10: [0.75, 0] }
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    double3 xformOp:translate = (1, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
)",
                              mesh, "\n  }\n", more, "}\ndef Xform \"X\" {\n}\n"));
    stage_ = Open();
  }
  v1::ComputeSkinningRequest Request(const std::vector<std::string>& paths,
                                     const std::vector<double>& frames) {
    return RequestFor<v1::ComputeSkinningRequest>(stage_, paths, frames);
  }
  // All messages in one.
  v1::ComputeSkinningResponse Ask(const v1::ComputeSkinningRequest& request) {
    v1::ComputeSkinningResponse all;
    for (const auto& part : All(&Client::ComputeSkinning, request)) all.MergeFrom(part);
    return all;
  }

  v1::StageRef stage_;
};

using Floats = std::vector<float>;
using Ints = std::vector<int>;
using Indices = std::vector<uint32_t>;

TEST_F(SkinningDataHandlerTest, SendsWhatDoesNotVaryOnce) {
  Rig(Concat(kInfluences, kBlendShapes));
  const auto reply = Ask(Request({"/C/M"}, {0, 10}));
  ASSERT_EQ(reply.skeletons_size(), 1);
  EXPECT_EQ(reply.skeletons(0).joint_order(1), "a/b");
  const auto inverse = Unpack<double>(reply.skeletons(0).inverse_bind_transforms());
  ASSERT_EQ(inverse.size(), 32u);
  EXPECT_EQ(inverse[16 + 13], -2);
  ASSERT_EQ(reply.bindings_size(), 1);
  const v1::SkinningBinding& binding = reply.bindings(0);
  EXPECT_EQ(binding.skeleton(), reply.skeletons(0).number());
  EXPECT_EQ(binding.skinning_method(), "dualQuaternion");
  EXPECT_FALSE(binding.rigid());
  EXPECT_EQ(binding.joint_order(1), "gone");
  EXPECT_EQ(Unpack<int>(binding.joint_mapping()), (Ints{1, -1, 0}));
  EXPECT_EQ(binding.influences().interpolation(), "vertex");
  EXPECT_EQ(binding.influences().influences_per_component(), 2u);
  EXPECT_EQ(Unpack<int>(binding.influences().indices()), (Ints{2, 0, 0, 2}));
  EXPECT_EQ(Unpack<float>(binding.influences().weights()), (Floats{1, 0, 0.5f, 0.5f}));
  EXPECT_FALSE(binding.influences().out_of_range());
  EXPECT_EQ(Unpack<double>(binding.geom_bind_transform())[12], 3);
  ASSERT_EQ(reply.items_size(), 2);
  for (const v1::SkinningItem& item : reply.items()) {
    EXPECT_EQ(item.path(), "/C/M");
    EXPECT_EQ(item.skeleton(), "/C/Skel");
    EXPECT_EQ(item.animation_source(), "/C/Anim");
    EXPECT_EQ(item.binding(), binding.number());
    EXPECT_FALSE(item.has_influences());
    EXPECT_FALSE(item.has_geom_bind_transform());
    EXPECT_EQ(Unpack<double>(item.skeleton_to_prim())[12], -1);
  }
}

TEST_F(SkinningDataHandlerTest, SendsBlendShapesWithTheirInbetweens) {
  Rig(Concat(kInfluences, kBlendShapes));
  const auto reply = Ask(Request({"/C/M"}, {0}));
  ASSERT_EQ(reply.bindings_size(), 1);
  const v1::SkinningBinding& binding = reply.bindings(0);
  EXPECT_EQ(binding.blend_shape_order(1), "two");
  ASSERT_EQ(binding.blend_shapes_size(), 2);
  EXPECT_EQ(binding.blend_shapes(0).path(), "/C/M/One");
  EXPECT_FALSE(binding.blend_shapes(0).has_point_indices());
  ASSERT_EQ(binding.blend_shapes(0).sub_shapes_size(), 2) << "the null and the full shape";
  EXPECT_EQ(Unpack<float>(binding.blend_shapes(0).sub_shapes(1).point_offsets()),
            (Floats{1, 0, 0, 0, 1, 0}));
  const v1::SkinningBlendShape& two = binding.blend_shapes(1);
  EXPECT_EQ(Unpack<int>(two.point_indices()), (Ints{1}));
  ASSERT_EQ(two.sub_shapes_size(), 3);
  EXPECT_EQ(two.sub_shapes(0).weight(), 0);
  EXPECT_FALSE(two.sub_shapes(0).has_point_offsets());
  EXPECT_EQ(two.sub_shapes(1).weight(), 0.5f);
  EXPECT_EQ(two.sub_shapes(1).inbetween(), "inbetweens:half");
  EXPECT_EQ(Unpack<float>(two.sub_shapes(1).point_offsets()), (Floats{0, 0, 2}));
  EXPECT_FALSE(two.sub_shapes(1).has_normal_offsets());
  EXPECT_EQ(two.sub_shapes(2).weight(), 1);
  EXPECT_EQ(Unpack<float>(two.sub_shapes(2).normal_offsets()), (Floats{1, 0, 0}));
}

TEST_F(SkinningDataHandlerTest, PacksBlendShapesByPointOnRequest) {
  Rig(Concat(kInfluences, kBlendShapes));
  auto request = Request({"/C/M"}, {0});
  request.set_with_packed_shapes(true);
  const auto reply = Ask(request);
  ASSERT_EQ(reply.bindings_size(), 1);
  const v1::SkinningBinding& binding = reply.bindings(0);
  EXPECT_EQ(Unpack<int>(binding.packed_shapes().ranges()), (Ints{0, 1, 1, 4}));
  EXPECT_EQ(Unpack<float>(binding.packed_shapes().offsets()),
            (Floats{1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 2, 3, 0, 0, 8, 4}));
  ASSERT_EQ(binding.blend_shapes_size(), 2);
  EXPECT_FALSE(binding.blend_shapes(0).sub_shapes(1).has_point_offsets());
  EXPECT_TRUE(binding.blend_shapes(1).sub_shapes(2).has_normal_offsets());
}

TEST_F(SkinningDataHandlerTest, SendsPosesAndWeightsOfEachTime) {
  Rig(Concat(kInfluences, kBlendShapes));
  const auto reply = Ask(Request({"/C/M"}, {0, 10, 5}));
  ASSERT_EQ(reply.items_size(), 3);
  ASSERT_EQ(reply.poses_size(), 3);
  const double expected_y[] = {0, 2, 1};
  const Floats expected_weights[] = {{1, 0.25f}, {0, 0.75f}, {0.5f, 0.5f}};
  const Floats expected_sub_weights[] = {{1, 0.5f}, {0, 0.5f, 0.5f}, {0.5f, 1}};
  const Indices expected_shapes[] = {{0, 1}, {0, 1, 1}, {0, 1}};
  const Indices expected_sub_shapes[] = {{1, 3}, {1, 3, 4}, {1, 3}};
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const v1::SkinningItem& item = reply.items(i);
    EXPECT_EQ(item.time_index(), static_cast<uint32_t>(i));
    EXPECT_EQ(item.pose(), reply.poses(i).number());
    const auto joints = Unpack<double>(reply.poses(i).skinning_transforms());
    ASSERT_EQ(joints.size(), 32u) << "in the skeleton's order";
    EXPECT_EQ(joints[13], 0);
    EXPECT_EQ(joints[16 + 13], expected_y[i]);
    EXPECT_EQ(Unpack<float>(item.blend_shape_weights()), expected_weights[i]);
    EXPECT_EQ(Unpack<float>(item.sub_shape_weights()), expected_sub_weights[i]);
    EXPECT_EQ(Unpack<uint32_t>(item.blend_shape_indices()), expected_shapes[i]);
    EXPECT_EQ(Unpack<uint32_t>(item.sub_shape_indices()), expected_sub_shapes[i]);
  }
}

TEST_F(SkinningDataHandlerTest, PrimsOfASkeletonShareItsPoses) {
  Rig(kInfluences, R"(
  def Mesh "N" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0)]
    int[] primvars:skel:jointIndices = [1] (elementSize = 1; interpolation = "constant")
    float[] primvars:skel:jointWeights = [1] (elementSize = 1; interpolation = "constant")
  }
)");
  const auto reply = Ask(Request({}, {0, 10}));
  EXPECT_EQ(reply.skeletons_size(), 1);
  EXPECT_EQ(reply.poses_size(), 2);
  ASSERT_EQ(reply.bindings_size(), 2);
  ASSERT_EQ(reply.items_size(), 4);
  EXPECT_EQ(reply.items(2).path(), "/C/N");
  EXPECT_EQ(reply.items(3).pose(), reply.items(1).pose());
  const v1::SkinningBinding& rigid = reply.bindings(1);
  EXPECT_TRUE(rigid.rigid());
  EXPECT_EQ(rigid.skinning_method(), "classicLinear");
  EXPECT_FALSE(rigid.has_joint_mapping());
  EXPECT_EQ(rigid.influences().interpolation(), "constant");
  EXPECT_EQ(Unpack<double>(rigid.geom_bind_transform())[12], 0);
}

TEST_F(SkinningDataHandlerTest, InstancesShareTheirBinding) {
  Rig(Concat(kInfluences, kBlendShapes), "");
  Write("crowd.usda", R"((
  subLayers = [@root.usda@]
)
def Xform "Crowd" {
  def "A" (
    instanceable = true
    references = </C>
  ) {
  }
  def "B" (
    instanceable = true
    references = </C>
  ) {
  }
}
)");
  v1::OpenStageRequest open;
  open.set_root_layer("/crowd.usda");
  stage_ = Open(open);
  const auto reply = Ask(Request({"/Crowd/A/M", "/Crowd/B/M"}, {0, 10}));
  EXPECT_EQ(reply.skeletons_size(), 1);
  EXPECT_EQ(reply.poses_size(), 2);
  EXPECT_EQ(reply.bindings_size(), 1);
  ASSERT_EQ(reply.items_size(), 4);
  EXPECT_EQ(reply.items(2).path(), "/Crowd/B/M");
  EXPECT_EQ(reply.items(2).skeleton(), "/Crowd/B/Skel");
}

TEST_F(SkinningDataHandlerTest, WhatVariesIsInTheItems) {
  Rig(R"(
    int[] primvars:skel:jointIndices = [1, 0] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1, 1] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights.timeSamples = { 0: [0, 1], 10: [1, 1] }
    matrix4d primvars:skel:geomBindTransform.timeSamples = {
      0: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
      10: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (10, 0, 0, 1)),
    }
)");
  const auto reply = Ask(Request({"/C/M"}, {0, 5}));
  ASSERT_EQ(reply.bindings_size(), 1);
  EXPECT_FALSE(reply.bindings(0).has_influences());
  EXPECT_FALSE(reply.bindings(0).has_geom_bind_transform());
  ASSERT_EQ(reply.items_size(), 2);
  EXPECT_EQ(Unpack<float>(reply.items(1).influences().weights()), (Floats{0.5f, 1}));
  EXPECT_EQ(Unpack<int>(reply.items(1).influences().indices()), (Ints{1, 0}));
  EXPECT_EQ(Unpack<double>(reply.items(1).geom_bind_transform())[12], 5);
}

TEST_F(SkinningDataHandlerTest, TheDefaultMayDifferFromASample) {
  Rig(R"(
    int[] primvars:skel:jointIndices = [1, 0] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1, 1] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights.timeSamples = { 0: [0, 1] }
)");
  EXPECT_TRUE(Ask(Request({"/C/M"}, {0, 5})).bindings(0).has_influences());
  auto request = Request({"/C/M"}, {0});
  request.mutable_times()->add_times()->mutable_default_time();
  const auto reply = Ask(request);
  EXPECT_FALSE(reply.bindings(0).has_influences());
  ASSERT_EQ(reply.items_size(), 2);
  EXPECT_EQ(Unpack<float>(reply.items(0).influences().weights()), (Floats{1, 1}));
  EXPECT_EQ(Unpack<float>(reply.items(1).influences().weights()), (Floats{0, 1}));
}

TEST_F(SkinningDataHandlerTest, SaysWhatCannotBeUsed) {
  Rig(R"(
    int[] primvars:skel:jointIndices = [1, 7] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1, 1] (elementSize = 1; interpolation = "vertex")
)");
  const auto beyond = Ask(Request({"/C/M"}, {0}));
  EXPECT_TRUE(beyond.bindings(0).influences().out_of_range());
  ASSERT_EQ(beyond.warnings_size(), 1);
  EXPECT_EQ(beyond.warnings(0).path(), "/C/M");
  Rig(R"(
    int[] primvars:skel:jointIndices = [1, 0] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1] (elementSize = 1; interpolation = "vertex")
)");
  const auto unequal = Ask(Request({"/C/M"}, {0}));
  EXPECT_FALSE(unequal.bindings(0).has_influences());
  EXPECT_EQ(unequal.warnings_size(), 1);
}

TEST_F(SkinningDataHandlerTest, ReportsUnboundAndMissingPrimsOnceForAllTimes) {
  Rig(kInfluences);
  const auto reply = Ask(Request({"/X", "/C/M", "/X", "/Nobody", "no path"}, {0, 10}));
  ASSERT_EQ(reply.items_size(), 5);
  EXPECT_EQ(reply.items(0).path(), "/X");
  EXPECT_EQ(reply.items(0).error().reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(reply.items(0).binding(), 0u);
  EXPECT_EQ(reply.items(1).path(), "/C/M");
  EXPECT_EQ(reply.items(3).path(), "/Nobody");
  EXPECT_EQ(reply.items(3).error().reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(reply.items(4).path(), "no path");
  EXPECT_EQ(reply.items(4).error().reason(), v1::ERROR_REASON_INVALID_PATH);
}

TEST_F(SkinningDataHandlerTest, HasTheSamplesAroundAShutter) {
  Rig(Concat(kInfluences, kBlendShapes));
  auto request = Request({"/C/M"}, {5});
  request.mutable_sample_policy()->set_shutter_open(-0.5);
  request.mutable_sample_policy()->set_shutter_close(0.5);
  const auto reply = Ask(request);
  ASSERT_EQ(reply.items_size(), 2);
  EXPECT_EQ(reply.items(0).sample().time(), 0);
  EXPECT_EQ(reply.items(1).sample().time(), 10);
  EXPECT_EQ(reply.poses_size(), 2);
  Rig(R"(
    point3f[] points.timeSamples = { 4: [(0, 1, 0), (0, 3, 0)], 5: [(0, 1, 0), (0, 4, 0)] }
)");
  request = Request({"/C/M"}, {5});
  request.mutable_sample_policy()->set_shutter_open(-0.5);
  request.mutable_sample_policy()->set_shutter_close(0.5);
  EXPECT_EQ(Ask(request).items_size(), 2) << "points have no part in it";
}

TEST_F(SkinningDataHandlerTest, TakesTheNameOfAListOfPaths) {
  Rig(kInfluences);
  v1::DefinePathsRequest define;
  define.add_paths("/C/M");
  const auto defined = client().DefinePaths(define);
  ASSERT_TRUE(defined.ok()) << defined.status();
  auto request = Request({}, {0});
  request.set_path_set(defined->path_set());
  EXPECT_EQ(Ask(request).items_size(), 1);
}

}  // namespace
}  // namespace stagedoor::server
