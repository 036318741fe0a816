#include "server/handlers/geom_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/packed_values.h"
#include "server/testing/test_server.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

class GeomHandlersTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
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
    return RequestFor<Request>(stage_, paths, frames);
  }

  v1::StageRef stage_;
};

TEST_F(GeomHandlersTest, GivesInstancesByTimeAndMask) {
  auto request = Ask<v1::ComputeInstanceTransformsRequest>({"/I", "/X"}, {0, 5});
  std::vector<v1::InstancerTransforms> items;
  const auto collect = [&](const v1::ComputeInstanceTransformsResponse& part) {
    items.insert(items.end(), part.items().begin(), part.items().end());
    return absl::OkStatus();
  };
  ASSERT_TRUE(client().ComputeInstanceTransforms(request, collect).ok());
  ASSERT_EQ(items.size(), 4u);
  const auto numbers = Unpack<double>(items[1].transforms());
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
  const auto all = Unpack<double>(items[0].transforms());
  ASSERT_EQ(all.size(), 48u);
  EXPECT_EQ(all[14], 0);
}

TEST_F(GeomHandlersTest, GivesTransformsOfPrimsAtTimes) {
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

TEST_F(GeomHandlersTest, GivesVisibilityPurposeAndBounds) {
  const auto seen =
      client().ComputeVisibility(Ask<v1::ComputeVisibilityRequest>({"/X/Y", "/I"}, {0, 5}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->visibility(0), v1::VISIBILITY_INHERITED);
  EXPECT_EQ(seen->visibility(1), v1::VISIBILITY_INVISIBLE);
  EXPECT_EQ(seen->purpose(0), v1::PURPOSE_PROXY);
  EXPECT_EQ(seen->purpose(1), v1::PURPOSE_DEFAULT);
  auto request = Ask<v1::ComputeBoundsRequest>({"/X"}, {0});
  const auto bounds = client().ComputeBounds(request);
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  EXPECT_EQ(bounds->bounds(1), 0);
  EXPECT_EQ(bounds->bounds(4), 2);
  request.add_purposes(v1::PURPOSE_GUIDE);
  const auto none = client().ComputeBounds(request);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_GT(none->bounds(0), none->bounds(3));
}

TEST_F(GeomHandlersTest, GivesWhatIsAuthoredOutsideOfTheAllowedValues) {
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

TEST_F(GeomHandlersTest, GivesPrimvarsInheritedAndFlattened) {
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
  EXPECT_EQ(Unpack<float>(items[0].primvars(0).value().array_value()),
            (std::vector<float>{5, 4, 5}));
}

}  // namespace
}  // namespace stagedoor
