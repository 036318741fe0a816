#include "server/handlers/bounds_handler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Doubles = std::vector<double>;

class BoundsHandlerTest : public ServerTest {
 protected:
  BoundsHandlerTest() {
    Write("root.usda", R"(
def Xform "A" {
  double3 xformOp:translate = (100, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Xform "B" {
    float xformOp:rotateZ = 45
    uniform token[] xformOpOrder = ["xformOp:rotateZ"]
    def Cube "C" {
      double3 xformOp:translate = (5, 0, 0)
      uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Cube "Hidden" {
      double size = 40
      token visibility = "invisible"
    }
    def Cube "Guide" {
      double size = 6
      uniform token purpose = "guide"
    }
  }
}
def PointInstancer "I" {
  double3 xformOp:translate = (0, 7, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  int[] protoIndices = [0, 0]
  point3f[] positions.timeSamples = { 0: [(1, 0, 0), (2, 0, 0)], 10: [(3, 0, 0)] }
  rel prototypes = </I/P>
  def Cube "P" {
  }
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    stage_ = Open(open);
  }
  v1::ComputeBoundsRequest Ask(const std::vector<std::string>& paths,
                               const std::vector<double>& frames) {
    return RequestFor<v1::ComputeBoundsRequest>(stage_, paths, frames);
  }
  v1::ComputeBoundsResponse Reply(const v1::ComputeBoundsRequest& request) {
    const auto reply = client().ComputeBounds(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : v1::ComputeBoundsResponse();
  }
  std::string Reason(const v1::ComputeBoundsRequest& request) {
    return ErrorReason(client().ComputeBounds(request).status());
  }

  v1::StageRef stage_;
};

bool IsEmpty(const Doubles& numbers, size_t bound) {
  return numbers[6 * bound] > numbers[6 * bound + 3];
}

TEST_F(BoundsHandlerTest, BoundsAreRelativeToAPrim) {
  auto request = Ask({"/A/B/C"}, {0});
  request.set_space(v1::BOUNDS_SPACE_RELATIVE);
  request.set_relative_to("/A/B");
  EXPECT_NEAR(Unpack<double>(Reply(request).bounds())[0], 4, 1e-9);
  request.set_relative_to("/");
  EXPECT_NEAR(Unpack<double>(Reply(request).bounds())[2], -1, 1e-9);
  EXPECT_GT(Unpack<double>(Reply(request).bounds())[0], 100);
  request.set_relative_to("/None");
  EXPECT_EQ(Reason(request), "PRIM_NOT_FOUND");
  request.set_relative_to("none");
  EXPECT_EQ(Reason(request), "INVALID_PATH");
  request.set_space(v1::BOUNDS_SPACE_LOCAL);
  EXPECT_EQ(Reason(request), "INVALID_FIELD");
}

TEST_F(BoundsHandlerTest, InvisiblePrimsAreIncludedOnRequest) {
  auto request = Ask({"/A/B"}, {0});
  request.set_space(v1::BOUNDS_SPACE_RELATIVE);
  request.set_relative_to("/A/B");
  EXPECT_GT(Unpack<double>(Reply(request).bounds())[0], 2);
  request.set_ignore_visibility(true);
  EXPECT_LT(Unpack<double>(Reply(request).bounds())[0], -19);
}

TEST_F(BoundsHandlerTest, BoxesAreInASpaceOfTheirOwn) {
  auto request = Ask({"/A/B/C", "/None", "/A/B/Guide"}, {0});
  EXPECT_FALSE(Reply(request).has_box_ranges());
  request.set_with_boxes(true);
  const auto reply = Reply(request);
  const Doubles ranges = Unpack<double>(reply.box_ranges());
  ASSERT_EQ(ranges.size(), 18u);
  EXPECT_EQ(Doubles(ranges.begin(), ranges.begin() + 6), (Doubles{-1, -1, -1, 1, 1, 1}));
  const Doubles matrices = Unpack<double>(reply.box_matrices());
  ASSERT_EQ(matrices.size(), 48u);
  EXPECT_NEAR(matrices[0], 0.70710678, 1e-8) << "rotated, unlike the bounds";
  EXPECT_NEAR(matrices[12], 100 + 5 * 0.70710678, 1e-7);
  EXPECT_TRUE(IsEmpty(ranges, 1));
  EXPECT_EQ(Doubles(matrices.begin() + 16, matrices.begin() + 32), Doubles(16)) << "a path error";
  EXPECT_TRUE(IsEmpty(ranges, 2));
  EXPECT_NEAR(matrices[32], 0.70710678, 1e-8) << "of an empty box";
}

TEST_F(BoundsHandlerTest, ExtentsHintsAreComputedForEachItem) {
  auto request = Ask({"/A", "/None", "/I"}, {0, 10});
  EXPECT_EQ(Reply(request).extents_hint_sizes_size(), 0);
  request.set_with_extents_hints(true);
  const auto reply = Reply(request);
  EXPECT_EQ(
      std::vector<uint32_t>(reply.extents_hint_sizes().begin(), reply.extents_hint_sizes().end()),
      (std::vector<uint32_t>{8, 8, 0, 0, 8, 2}));
  const auto corners = Unpack<float>(reply.extents_hints());
  ASSERT_EQ(corners.size(), 26u * 3);
  EXPECT_NEAR(corners[0], 3.535534 - 1.414214, 1e-5) << "the cube is rotated";
  EXPECT_NEAR(corners[3 * 6], -4.242641, 1e-5) << "of the purpose guide";
}

TEST_F(BoundsHandlerTest, InstancesAreBoundedByIndex) {
  auto request = Ask({"/I", "/A", "/None"}, {0});
  for (const uint32_t instance : {1, 0, 2}) request.add_instance_indices(instance);
  const auto reply = Reply(request);
  const Doubles bounds = Unpack<double>(reply.bounds());
  ASSERT_EQ(bounds.size(), 9u * 6);
  EXPECT_EQ(Doubles(bounds.begin(), bounds.begin() + 6), (Doubles{1, 6, -1, 3, 8, 1}));
  EXPECT_EQ(bounds[6], 0);
  EXPECT_TRUE(IsEmpty(bounds, 2)) << "there is no such instance";
  EXPECT_TRUE(IsEmpty(bounds, 3));
  ASSERT_EQ(reply.path_errors_size(), 2);
  EXPECT_EQ(reply.path_errors(0).reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(reply.path_errors(1).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  request.set_space(v1::BOUNDS_SPACE_UNTRANSFORMED);
  EXPECT_EQ(Unpack<double>(Reply(request).bounds())[1], -1);
}

TEST_F(BoundsHandlerTest, InconsistentInstancersHaveNoBoundsAtAnyTime) {
  auto request = Ask({"/I"}, {0, 10, 0});
  request.add_instance_indices(0);
  request.set_with_boxes(true);
  request.set_with_extents_hints(true);
  const auto reply = Reply(request);
  ASSERT_EQ(reply.path_errors_size(), 1);
  EXPECT_EQ(reply.path_errors(0).code(), 9) << "FAILED_PRECONDITION";
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(IsEmpty(Unpack<double>(reply.bounds()), i)) << i;
    EXPECT_TRUE(IsEmpty(Unpack<double>(reply.box_ranges()), i)) << i;
    EXPECT_EQ(Unpack<double>(reply.box_matrices())[16 * i], 0) << i;
    EXPECT_EQ(reply.extents_hint_sizes(static_cast<int>(i)), 0u) << i;
  }
  EXPECT_EQ(reply.extents_hints().count(), 0u);
}

TEST_F(BoundsHandlerTest, InstancesAreAdvancedFromTheBaseTime) {
  auto request = Ask({"/I"}, {10});
  request.add_instance_indices(0);
  request.mutable_base_time()->set_numeric(0);
  EXPECT_EQ(Unpack<double>(Reply(request).bounds())[0], 0) << "as many positions as at the base";
  request.mutable_base_time()->set_numeric(std::nan(""));
  EXPECT_EQ(Reason(request), "INVALID_TIME");
}

TEST_F(BoundsHandlerTest, ItemsTimesInstancesAreLimited) {
  ServerOptions options;
  options.limits.max_items = 4;
  Start(options);
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  stage_ = Open(open);
  auto request = Ask({"/I", "/I"}, {0});
  for (const uint32_t instance : {0, 1}) request.add_instance_indices(instance);
  EXPECT_EQ(Reason(request), "");
  request.add_instance_indices(0);
  EXPECT_EQ(Reason(request), "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
