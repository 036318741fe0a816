// The methods of GeomService and SkelService.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "scene/testing/skeleton_text.h"
#include "tests/server/test_server.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

std::vector<float> Floats(const v1::PackedValues& packed) {
  std::vector<float> numbers(packed.data().size() / sizeof(float));
  std::memcpy(numbers.data(), packed.data().data(), packed.data().size());
  return numbers;
}

std::vector<double> Doubles(const v1::PackedValues& packed) {
  std::vector<double> numbers(packed.data().size() / sizeof(double));
  std::memcpy(numbers.data(), packed.data().data(), packed.data().size());
  return numbers;
}

void ExpectNear(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

class GeometryTest : public ServerTest {
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
def PointInstancer "I" {
  int[] protoIndices = [0, 1, 0]
  int64[] invisibleIds = [1]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (2, 0, 0)], 10: [(0, 5, 0), (1, 5, 0), (2, 5, 0)] }
  rel prototypes = [</I/A>, </I/B>]
  def Sphere "A" {
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
  def Cube "B" {
  }
}
def Cube "Odd" {
  uniform token purpose = "banana"
  float[] primvars:o = [1, 2] (
    elementSize = -3
    interpolation = "constant"
  )
}
def Xform "X" {
  token visibility.timeSamples = { 0: "inherited", 5: "invisible" }
  uniform token purpose = "proxy"
  float[] primvars:w = [4, 5] (
    interpolation = "constant"
  )
  int[] primvars:w:indices = [1, 0, 1]
  double xformOp:translateX.timeSamples = { 0: 0, 10: 10 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Cube "Y" {
    double3 xformOp:translate = (0, 1, 0)
    uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
  }
}
)");
    stage_ = Open();
  }

  template <typename Request>
  Request Ask(const Strings& paths, const std::vector<double>& frames) {
    Request request;
    *request.mutable_stage() = stage_;
    for (const std::string& path : paths) request.add_paths(path);
    for (const double frame : frames) request.mutable_times()->add_frames(frame);
    return request;
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

TEST_F(GeometryTest, ListsBindings) {
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

TEST_F(GeometryTest, SkinsPrimsAtTimesInEitherSpace) {
  auto request = Ask<v1::ComputeSkinnedPointsRequest>({"/C/M"}, {0, 10});
  request.set_with_normals(true);
  request.set_with_joints(true);
  const auto own = Skin(request);
  ASSERT_EQ(own.size(), 2u);
  ExpectNear(Floats(own[0].points()), {0, 1, 0, 0, 3, 0});
  EXPECT_EQ(own[1].time_index(), 1u);
  ExpectNear(Floats(own[1].points()), {0, 1, 0, 0, 5, 0});
  ExpectNear(Floats(own[1].normals()), {0, 1, 0, 0, 1, 0});
  EXPECT_EQ(own[1].joint_order(0), "a/b");
  EXPECT_EQ(Doubles(own[1].joint_transforms())[13], 2);
  request.set_world_space(true);
  const auto world = Skin(request);
  ASSERT_EQ(world.size(), 2u);
  ExpectNear(Floats(world[1].points()), {0, 1, 5, 0, 5, 5});
}

TEST_F(GeometryTest, NamesWhatDoesNotFitAndAnswersTheRest) {
  const auto items = Skin(Ask<v1::ComputeSkinnedPointsRequest>({}, {0}));
  ASSERT_EQ(items.size(), 2u);
  EXPECT_TRUE(items[0].warnings().empty());
  EXPECT_TRUE(items[0].has_points());
  ASSERT_EQ(items[1].path(), "/C/Bad");
  ASSERT_EQ(items[1].warnings_size(), 1);
  EXPECT_NE(items[1].warnings(0).find("out of range"), std::string::npos);
  EXPECT_FALSE(items[1].has_points());
}

TEST_F(GeometryTest, SaysWhatIsNotBoundOnceForAllTimes) {
  const auto items = Skin(Ask<v1::ComputeSkinnedPointsRequest>({"/X", "/C/M"}, {0, 10}));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].path(), "/X");
  EXPECT_EQ(items[0].error().reason(), "WRONG_KIND");
  EXPECT_FALSE(items[0].has_points());
  EXPECT_EQ(items[1].path(), "/C/M");
  EXPECT_FALSE(items[1].has_error());
  EXPECT_EQ(items[2].time_index(), 1u);
}

TEST_F(GeometryTest, GivesJointsOfSkeletonsAndOfSkinnedPrims) {
  auto request = Ask<v1::ComputeJointTransformsRequest>({"/C/Skel", "/C/M", "/X"}, {10});
  request.set_space(v1::JOINT_SPACE_WORLD);
  const auto items = Joints(request);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].joint_order(1), "a/b");
  EXPECT_EQ(Doubles(items[0].transforms())[16 + 13], 4);
  EXPECT_EQ(Doubles(items[0].transforms())[16 + 14], 5);
  EXPECT_EQ(items[1].joint_order(0), "a/b");
  EXPECT_EQ(Doubles(items[1].transforms())[13], 4);
  EXPECT_TRUE(items[2].has_error());
  EXPECT_FALSE(items[1].has_error());
  request.set_at_rest(true);
  request.set_space(v1::JOINT_SPACE_LOCAL);
  EXPECT_EQ(Doubles(Joints(request)[0].transforms())[16 + 13], 2);
}

TEST_F(GeometryTest, GivesInstancesByTimeAndMask) {
  auto request = Ask<v1::ComputeInstanceTransformsRequest>({"/I", "/X"}, {0, 5});
  std::vector<v1::InstancerTransforms> items;
  const auto collect = [&](const v1::ComputeInstanceTransformsResponse& part) {
    items.insert(items.end(), part.items().begin(), part.items().end());
    return absl::OkStatus();
  };
  ASSERT_TRUE(client().ComputeInstanceTransforms(request, collect).ok());
  ASSERT_EQ(items.size(), 4u);
  const auto numbers = Doubles(items[1].transforms());
  ASSERT_EQ(numbers.size(), 32u);  // the one in the middle is invisible
  EXPECT_EQ(numbers[13], 2.5);
  EXPECT_EQ(numbers[14], 1);
  EXPECT_EQ(numbers[16 + 12], 2);
  EXPECT_EQ(items[1].prototype_indices_size(), 2);
  EXPECT_EQ(Strings(items[1].prototypes().begin(), items[1].prototypes().end()),
            (Strings{"/I/A", "/I/B"}));
  EXPECT_TRUE(items[2].has_error());
  items.clear();
  request.set_ignore_mask(true);
  request.set_exclude_prototype_transforms(true);
  ASSERT_TRUE(client().ComputeInstanceTransforms(request, collect).ok());
  const auto all = Doubles(items[0].transforms());
  ASSERT_EQ(all.size(), 48u);
  EXPECT_EQ(all[14], 0);
}

TEST_F(GeometryTest, GivesTransformsOfPrimsAtTimes) {
  auto request = Ask<v1::ComputeTransformsRequest>({"/X", "/X/Y", "/Nowhere"}, {0, 10});
  request.set_with_local(true);
  const auto reply = client().ComputeTransforms(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->local_to_world_size(), 6 * 16);
  EXPECT_EQ(reply->local_to_world(16 + 12), 10);
  EXPECT_EQ(reply->local_to_world(3 * 16 + 12), 0);
  EXPECT_EQ(reply->local_to_world(3 * 16 + 13), 1);
  EXPECT_EQ(reply->local(16 + 12), 10);
  EXPECT_FALSE(reply->resets_xform_stack(0));
  EXPECT_TRUE(reply->resets_xform_stack(2));
  ASSERT_EQ(reply->path_errors_size(), 1);
  EXPECT_EQ(reply->path_errors(0).item(), 2u);
}

TEST_F(GeometryTest, GivesVisibilityPurposeAndBounds) {
  const auto seen =
      client().ComputeVisibility(Ask<v1::ComputeVisibilityRequest>({"/X/Y", "/I"}, {0, 5}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->visibility(0), v1::VISIBILITY_INHERITED);
  EXPECT_EQ(seen->visibility(1), v1::VISIBILITY_INVISIBLE);
  EXPECT_EQ(seen->purpose(0), v1::PURPOSE_PROXY);
  EXPECT_EQ(seen->purpose(1), v1::PURPOSE_DEFAULT);
  auto request = Ask<v1::ComputeBoundsRequest>({"/X", "/C"}, {0});
  const auto bounds = client().ComputeBounds(request);
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  EXPECT_EQ(bounds->bounds(1), 0);
  EXPECT_EQ(bounds->bounds(4), 2);
  EXPECT_EQ(bounds->bounds(6 + 2), 5);  // of the joints
  request.add_purposes(v1::PURPOSE_GUIDE);
  const auto none = client().ComputeBounds(request);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_GT(none->bounds(0), none->bounds(3));
}

TEST_F(GeometryTest, GivesWhatIsAuthoredOutsideOfTheAllowedValues) {
  const auto seen =
      client().ComputeVisibility(Ask<v1::ComputeVisibilityRequest>({"/X", "/Odd"}, {0}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->purpose(1), v1::PURPOSE_OTHER);
  ASSERT_EQ(seen->other_purposes_size(), 2);
  EXPECT_EQ(seen->other_purposes(0), "");
  EXPECT_EQ(seen->other_purposes(1), "banana");
  auto request = Ask<v1::ComputeBoundsRequest>({"/Odd"}, {0});
  const auto without = client().ComputeBounds(request);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_GT(without->bounds(0), without->bounds(3));
  request.add_other_purposes("banana");
  const auto with = client().ComputeBounds(request);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(with->bounds(3), 1);
  int size = 0;
  ASSERT_TRUE(client()
                  .GetPrimvars(Ask<v1::GetPrimvarsRequest>({"/Odd"}, {0}),
                               [&](const v1::GetPrimvarsResponse& part) {
                                 for (const auto& item : part.items()) {
                                   size = item.primvars(0).element_size();
                                 }
                                 return absl::OkStatus();
                               })
                  .ok());
  EXPECT_EQ(size, -3);
}

TEST_F(GeometryTest, GivesPrimvarsInheritedAndFlattened) {
  auto request = Ask<v1::GetPrimvarsRequest>({"/X/Y"}, {0});
  std::vector<v1::PrimPrimvars> items;
  const auto collect = [&](const v1::GetPrimvarsResponse& part) {
    items.insert(items.end(), part.items().begin(), part.items().end());
    return absl::OkStatus();
  };
  ASSERT_TRUE(client().GetPrimvars(request, collect).ok());
  ASSERT_EQ(items.size(), 1u);
  ASSERT_EQ(items[0].primvars_size(), 1);
  const v1::Primvar& primvar = items[0].primvars(0);
  EXPECT_EQ(primvar.name(), "w");
  EXPECT_EQ(primvar.source_path(), "/X");
  EXPECT_EQ(primvar.interpolation(), "constant");
  EXPECT_TRUE(primvar.has_indices());
  items.clear();
  request.set_flatten(true);
  request.add_names("w");
  ASSERT_TRUE(client().GetPrimvars(request, collect).ok());
  EXPECT_FALSE(items[0].primvars(0).has_indices());
  EXPECT_EQ(Floats(items[0].primvars(0).value().array_value()), (std::vector<float>{5, 4, 5}));
}

}  // namespace
}  // namespace stagedoor
