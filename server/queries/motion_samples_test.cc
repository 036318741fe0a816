// The requests that have a SamplePolicy. The scenes that renderers got wrong, which
// docs/motion_samples.md lists, are built in the tests whose comments name them.
#include "server/queries/motion_samples.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "scene/testing/skeleton_text.h"
#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Doubles = std::vector<double>;
using Strings = std::vector<std::string>;

class MotionSamplesTest : public ServerTest {
 protected:
  void Load(std::string_view text) {
    Write("root.usda", std::string(text));
    stage_ = Open();
  }
  // A request with the shutter [open, close].
  template <typename Request>
  Request Ask(const Strings& paths, const Doubles& frames, double open, double close) {
    auto request = RequestFor<Request>(stage_, paths, frames);
    request.mutable_sample_policy()->set_shutter_open(open);
    request.mutable_sample_policy()->set_shutter_close(close);
    return request;
  }
  v1::ComputeTransformsResponse Transforms(const v1::ComputeTransformsRequest& request) {
    const auto reply = client().ComputeTransforms(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : v1::ComputeTransformsResponse();
  }
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
  template <typename Item>
  static Doubles TimesOf(const std::vector<Item>& items) {
    Doubles times;
    for (const Item& item : items) times.push_back(item.sample().time());
    return times;
  }
  template <typename T>
  static std::vector<T> ListOf(const google::protobuf::RepeatedField<T>& field) {
    return {field.begin(), field.end()};
  }

  v1::StageRef stage_;
};

constexpr const char* kMoving = R"(
def Xform "A" {
  double xformOp:translateX.timeSamples = { 0: 0, 1: 10, 2: 0 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Cube "B" {
    double xformOp:translateY.timeSamples = { 0.5: 0, 1.25: 1 }
    uniform token[] xformOpOrder = ["xformOp:translateY"]
  }
  def Cube "R" {
    double3 xformOp:translate = (7, 0, 0)
    uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
  }
}
)";

TEST_F(MotionSamplesTest, TransformsHaveTheSamplesOfAllAncestors) {
  Load(kMoving);
  auto request = Ask<v1::ComputeTransformsRequest>({"/A/B", "/None", "/A/R"}, {1, 1.75}, 0, 0.5);
  request.set_with_local(true);
  request.mutable_sample_policy()->set_with_sources(true);
  const auto reply = Transforms(request);
  EXPECT_EQ(ListOf(reply.samples().counts()), (std::vector<uint32_t>{3, 2, 0, 0, 1, 1}));
  EXPECT_EQ(ListOf(reply.samples().times()), (Doubles{1, 1.25, 2, 1, 2, 1, 1.75}));
  EXPECT_EQ(Strings(reply.samples().sources().begin(), reply.samples().sources().end()),
            (Strings{"/A.xformOp:translateX", "/A/B.xformOp:translateY", "/A.xformOp:translateX",
                     "/A.xformOp:translateX", "/A.xformOp:translateX", "", ""}));
  const Doubles world = Unpack<double>(reply.local_to_world());
  const Doubles local = Unpack<double>(reply.local());
  ASSERT_EQ(world.size(), 7u * 16);
  ASSERT_EQ(local.size(), 7u * 16);
  EXPECT_EQ(world[12], 10);
  EXPECT_EQ(world[16 + 12], 7.5);
  EXPECT_EQ(world[16 + 13], 1);
  EXPECT_EQ(local[16 + 12], 0);
  EXPECT_EQ(local[16 + 13], 1);
  EXPECT_EQ(world[5 * 16 + 12], 7);
  EXPECT_EQ(reply.resets_xform_stack_size(), 6);
  EXPECT_FALSE(reply.resets_xform_stack(0));
  EXPECT_TRUE(reply.resets_xform_stack(4));
  ASSERT_EQ(reply.path_errors_size(), 1);
  EXPECT_EQ(reply.path_errors(0).item(), 1u);
  EXPECT_EQ(reply.samples().thinned_items_size(), 0);
}

TEST_F(MotionSamplesTest, TransformsAtEvenTimesAndAtTheEndsOfTheShutter) {
  Load(kMoving);
  auto request = Ask<v1::ComputeTransformsRequest>({"/A", "/A/R"}, {1}, -0.5, 0.5);
  request.mutable_sample_policy()->set_segments(2);
  EXPECT_EQ(ListOf(Transforms(request).samples().times()), (Doubles{0.5, 1, 1.5, 1}));
  request.mutable_sample_policy()->set_segments(0);
  EXPECT_EQ(ListOf(Transforms(request).samples().times()), (Doubles{0, 1, 2, 1}));
  request.mutable_sample_policy()->set_samples_at_ends(true);
  const auto reply = Transforms(request);
  EXPECT_EQ(ListOf(reply.samples().times()), (Doubles{0.5, 1, 1.5, 1}));
  EXPECT_EQ(Unpack<double>(reply.local_to_world())[12], 5);
  request.mutable_sample_policy()->set_max_samples(2);
  const auto few = Transforms(request);
  EXPECT_EQ(ListOf(few.samples().times()), (Doubles{0.5, 1.5, 1}));
  EXPECT_EQ(ListOf(few.samples().thinned_items()), (std::vector<uint32_t>{0}));
}

TEST_F(MotionSamplesTest, RejectsPoliciesThatMakeNoSense) {
  Load(kMoving);
  const auto reason = [&](const auto& change) {
    auto request = Ask<v1::ComputeTransformsRequest>({"/A"}, {1}, 0, 1);
    change(request);
    return ErrorReason(client().ComputeTransforms(request).status());
  };
  using Request = v1::ComputeTransformsRequest;
  EXPECT_EQ(reason([](Request& r) { r.mutable_sample_policy()->set_shutter_close(-1); }),
            "INVALID_FIELD");
  EXPECT_EQ(reason([](Request& r) {
              r.mutable_sample_policy()->set_shutter_open(std::numeric_limits<double>::quiet_NaN());
            }),
            "INVALID_FIELD");
  EXPECT_EQ(reason([](Request& r) {
              r.mutable_sample_policy()->set_shutter_open(-1.7e308);
              r.mutable_sample_policy()->set_shutter_close(1.7e308);
            }),
            "INVALID_FIELD");
  EXPECT_EQ(reason([](Request& r) { r.mutable_sample_policy()->set_segments(4096); }),
            "INVALID_FIELD");
  EXPECT_EQ(reason([](Request& r) { r.mutable_sample_policy()->set_segments(4095); }), "");
  EXPECT_EQ(reason([](Request& r) { r.mutable_sample_policy()->set_max_samples(1); }),
            "INVALID_FIELD");
  EXPECT_EQ(reason([](Request& r) { r.mutable_sample_policy()->set_max_samples(4097); }),
            "INVALID_FIELD");
  EXPECT_EQ(reason([](Request& r) { r.mutable_times()->add_times()->mutable_default_time(); }),
            "INVALID_TIME");
  EXPECT_EQ(reason([](Request& r) { r.mutable_times()->add_times()->set_pre_time(1); }),
            "INVALID_TIME");
  EXPECT_EQ(reason([](Request& r) { r.mutable_times()->add_times()->mutable_earliest(); }),
            "INVALID_TIME");
}

TEST_F(MotionSamplesTest, SamplesCountAsItems) {
  ServerOptions options;
  options.limits.max_items = 6;
  Start(options);
  Load(kMoving);
  auto request = Ask<v1::ComputeTransformsRequest>({"/A", "/A"}, {1}, -0.5, 0.5);
  EXPECT_EQ(ErrorReason(client().ComputeTransforms(request).status()), "");
  request.add_paths("/A/R");
  EXPECT_EQ(ErrorReason(client().ComputeTransforms(request).status()), "REQUEST_TOO_LARGE");
}

TEST_F(MotionSamplesTest, CamerasHaveTheSamplesOfTransformsAndLenses) {
  Load(R"(
def Xform "A" {
  double xformOp:translateX.timeSamples = { 0: 0, 1: 10, 2: 0 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Camera "C" {
    float focalLength.timeSamples = { 0: 40, 0.75: 55, 3: 60 }
    float4[] clippingPlanes.timeSamples = { 0: [(1, 0, 0, 5)], 1: [(0, 1, 0, 6), (0, 0, 1, 7)] }
    uniform token stereoRole = "right"
  }
}
def Camera "Still" {
}
)");
  auto request = Ask<v1::ComputeCamerasRequest>({"/None", "/A/C", "/Still"}, {1}, -0.5, 0);
  request.mutable_sample_policy()->set_with_sources(true);
  const auto reply = client().ComputeCameras(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(ListOf(reply->samples().counts()), (std::vector<uint32_t>{0, 3, 1}));
  EXPECT_EQ(ListOf(reply->samples().times()), (Doubles{0, 0.75, 1, 1}));
  EXPECT_EQ(reply->samples().sources(0), "/A/C.focalLength");
  EXPECT_EQ(reply->samples().sources(2), "/A/C.clippingPlanes");
  ASSERT_EQ(reply->focal_length_size(), 4);
  EXPECT_EQ(reply->focal_length(0), 40);
  EXPECT_EQ(reply->focal_length(1), 55);
  EXPECT_EQ(reply->focal_length(3), 50);
  EXPECT_EQ(Unpack<double>(reply->local_to_world())[16 + 12], 7.5);
  EXPECT_EQ(ListOf(reply->clipping_plane_count()), (std::vector<uint32_t>{1, 1, 2, 0}));
  EXPECT_EQ(reply->clipping_planes().count(), 4u);
  ASSERT_EQ(reply->stereo_role_size(), 3) << "one for each path";
  EXPECT_EQ(reply->stereo_role(1), "right");
}

TEST_F(MotionSamplesTest, PointsHaveTheirSamples) {
  Load(R"(
def Mesh "M" {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 1: [(1, 0, 0)], 3: [(5, 0, 0)] }
}
def Xform "X" {}
)");
  auto request = Ask<v1::ComputePointsRequest>({"/M", "/X", "/None"}, {1, 5}, -0.25, 0.25);
  request.mutable_sample_policy()->set_with_sources(true);
  const auto items = Items<v1::MovingPoints>(&Client::ComputePoints, request);
  ASSERT_EQ(items.size(), 8u);
  EXPECT_EQ(TimesOf(items), (Doubles{0, 1, 3, 5, 1, 5, 0, 0}));
  for (const size_t i : {0, 1, 2}) {
    EXPECT_EQ(items[i].item(), 0u);
    EXPECT_EQ(items[i].sample().index(), i);
    EXPECT_EQ(items[i].sample().count(), 3u);
    EXPECT_EQ(items[i].sample().source(), "/M.points");
  }
  EXPECT_EQ(Unpack<float>(items[2].points()), (std::vector<float>{5, 0, 0}));
  EXPECT_EQ(items[3].item(), 1u);
  EXPECT_EQ(items[3].sample().count(), 1u) << "the points do not vary any more";
  EXPECT_EQ(items[4].item(), 2u);
  EXPECT_TRUE(items[6].has_error());
  EXPECT_EQ(items[7].item(), 5u);
}

TEST_F(MotionSamplesTest, PrimvarsHaveTheirSamples) {
  Load(R"(
def Mesh "M" {
  float[] primvars:w.timeSamples = { 0: [4], 1: [6] }
  float[] primvars:v.timeSamples = { 0.25: [4], 2: [6] }
}
)");
  auto request = Ask<v1::GetPrimvarsRequest>({"/M"}, {0.5}, 0, 0.25);
  EXPECT_EQ(TimesOf(Items<v1::PrimPrimvars>(&Client::GetPrimvars, request)), (Doubles{0.25, 1}))
      << "0.25 is before the shutter, so 0 is not needed";
  request.add_names("w");
  EXPECT_EQ(TimesOf(Items<v1::PrimPrimvars>(&Client::GetPrimvars, request)), (Doubles{0, 1}));
}

// OpenUSD issue 1603: an instance below a prim with many samples has all of them, not just two.
TEST_F(MotionSamplesTest, InstancesBelowSpinningPrimsHaveAllSamples) {
  Load(R"(
def Xform "Library" {
  def Xform "Blade" {
    def Cube "Box" {
      float3 xformOp:scale = (10, 1, 1)
      uniform token[] xformOpOrder = ["xformOp:scale"]
    }
  }
}
def Xform "Fan" {
  float xformOp:rotateZ.timeSamples = { 0.75: -45, 0.85: -25, 0.95: -5, 1.05: 5, 1.15: 25, 1.25: 45 }
  uniform token[] xformOpOrder = ["xformOp:rotateZ"]
  def "Blade" (
    instanceable = true
    references = </Library/Blade>
  ) {}
}
)");
  const auto reply = Transforms(
      Ask<v1::ComputeTransformsRequest>({"/Fan/Blade", "/Fan/Blade/Box"}, {1}, -0.25, 0.25));
  EXPECT_EQ(ListOf(reply.samples().counts()), (std::vector<uint32_t>{6, 6}));
  const Doubles expected = {0.75, 0.85, 0.95, 1.05, 1.15, 1.25};
  const Doubles times = ListOf(reply.samples().times());
  EXPECT_EQ(Doubles(times.begin(), times.begin() + 6), expected);
  EXPECT_EQ(Doubles(times.begin() + 6, times.end()), expected);
}

// arnold-usd issue 1997: only the parent is animated, so the prim itself has no samples.
TEST_F(MotionSamplesTest, PrimsWithoutOperationsHaveTheSamplesOfTheirParents) {
  Load(R"(
def Xform "P" {
  double3 xformOp:translate.timeSamples = { 4: (0, 0, 0), 4.5: (1, 0, 0), 5: (4, 0, 0), 6: (5, 0, 0) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Sphere "S" {
  }
}
)");
  const auto reply = Transforms(Ask<v1::ComputeTransformsRequest>({"/P/S"}, {5}, -0.6, 0.4));
  EXPECT_EQ(ListOf(reply.samples().times()), (Doubles{4, 4.5, 5, 6}));
}

// arnold-usd issue 951: a shutter that contains a single key of the animation still shows motion.
TEST_F(MotionSamplesTest, SkinnedPointsHaveTheSamplesAroundTheShutter) {
  Load(Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  double xformOp:translateX.timeSamples = { 0.9: 0, 1.1: 1 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
)",
              kTwoJoints, R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations.timeSamples = { 1: [(0, 0, 0), (0, 2, 0)], 2: [(1, 0, 0), (0, 2, 0)], 3: [(9, 0, 0), (0, 2, 0)] }
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points.timeSamples = { 1.75: [(0, 0, 0)], 4: [(0, 0, 0)] }
    int[] primvars:skel:jointIndices = [0] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1] (elementSize = 1; interpolation = "vertex")
  }
}
)"));
  auto request = Ask<v1::ComputeSkinnedPointsRequest>({"/C/M"}, {1, 2}, -0.5, 0.5);
  request.mutable_sample_policy()->set_with_sources(true);
  const auto items = Items<v1::SkinnedPrim>(&Client::ComputeSkinnedPoints, request);
  EXPECT_EQ(TimesOf(items), (Doubles{1, 2, 1, 1.75, 2, 3}))
      << "the prim and the skeleton move alike with the SkelRoot";
  ASSERT_EQ(items.size(), 6u);
  EXPECT_EQ(Unpack<float>(items[0].points())[0], 0);
  EXPECT_EQ(Unpack<float>(items[1].points())[0], 1);
  EXPECT_EQ(Unpack<float>(items[5].points())[0], 9);
  EXPECT_EQ(items[1].time_index(), 0u);
  EXPECT_EQ(items[1].sample().index(), 1u);
  EXPECT_EQ(items[1].sample().count(), 2u);
  EXPECT_EQ(items[1].sample().source(), "/C/Anim.translations");
  EXPECT_EQ(items[3].sample().source(), "/C/M.points");
  EXPECT_EQ(items[2].time_index(), 1u);
  request.set_world_space(true);
  EXPECT_EQ(TimesOf(Items<v1::SkinnedPrim>(&Client::ComputeSkinnedPoints, request)),
            (Doubles{0.9, 1, 1.1, 2, 1, 1.75, 2, 3}));
  request.mutable_sample_policy()->set_segments(1);
  EXPECT_EQ(TimesOf(Items<v1::SkinnedPrim>(&Client::ComputeSkinnedPoints, request)),
            (Doubles{0.5, 1.5, 1.5, 2.5}));
}

// arnold-usd issue 1005: the number of instances changes within the shutter.
TEST_F(MotionSamplesTest, InstancesAreThoseOfTheFrameAtAllSamples) {
  Load(R"(
def PointInstancer "I" {
  int[] protoIndices.timeSamples = { 0: [0, 0, 0], 1: [0, 0] }
  int64[] ids.timeSamples = { 0: [7, 8, 9], 1: [9, 7] }
  int64[] invisibleIds.timeSamples = { 0: [8], 1: [7] }
  point3f[] positions.timeSamples = { 0: [(70, 0, 0), (80, 0, 0), (90, 0, 0)], 1: [(91, 0, 0), (71, 0, 0)] }
  rel prototypes = </I/P>
  def Cube "P" {}
}
)");
  auto request = Ask<v1::ComputeInstanceTransformsRequest>({"/I"}, {0}, 0, 0.5);
  request.set_with_ids(true);
  const auto items = Items<v1::InstancerTransforms>(&Client::ComputeInstanceTransforms, request);
  EXPECT_EQ(TimesOf(items), (Doubles{0, 1}));
  ASSERT_EQ(items.size(), 2u);
  for (const auto& item : items) {
    EXPECT_EQ(item.transforms().count(), 2u);
    EXPECT_EQ(Unpack<int64_t>(item.ids()), (std::vector<int64_t>{7, 9}));
    EXPECT_EQ(Unpack<uint32_t>(item.instance_indices()), (std::vector<uint32_t>{0, 2}));
  }
  const Doubles moved = Unpack<double>(items[1].transforms());
  EXPECT_EQ(moved[12], 71);
  EXPECT_EQ(moved[16 + 12], 91);
}

// arnold-usd issue 2037: what is moved by an instancer is sampled as what is moved by an xformOp.
TEST_F(MotionSamplesTest, InstancesAndTransformsHaveTheSameSamples) {
  Load(R"(
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 5: [(0, 0, 0)], 6: [(4, 0, 0)] }
  rel prototypes = </I/P>
  def Cube "P" {}
}
def Sphere "S" {
  double3 xformOp:translate.timeSamples = { 5: (0, 0, 0), 6: (4, 0, 0) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
}
)");
  const auto spheres =
      Transforms(Ask<v1::ComputeTransformsRequest>({"/S"}, {5, 5.5, 6}, -0.25, 0.25));
  const auto cubes = Items<v1::InstancerTransforms>(
      &Client::ComputeInstanceTransforms,
      Ask<v1::ComputeInstanceTransformsRequest>({"/I"}, {5, 5.5, 6}, -0.25, 0.25));
  EXPECT_EQ(TimesOf(cubes), ListOf(spheres.samples().times()));
  const Doubles world = Unpack<double>(spheres.local_to_world());
  for (size_t i = 0; i < cubes.size(); ++i) {
    EXPECT_EQ(Unpack<double>(cubes[i].transforms())[12], world[i * 16 + 12]) << i;
  }
}

}  // namespace
}  // namespace stagedoor::server
