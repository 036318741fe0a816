#include "server/handlers/geom_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

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

TEST_F(GeomHandlersTest, ReturnsInstancesByTimeAndMask) {
  auto request = Ask<v1::ComputeInstanceTransformsRequest>({"/I", "/X"}, {0, 5});
  std::vector<v1::InstancerTransforms> items;
  const auto collect = [&](const v1::ComputeInstanceTransformsResponse& part) {
    items.insert(items.end(), part.items().begin(), part.items().end());
    return absl::OkStatus();
  };
  ASSERT_TRUE(client().ComputeInstanceTransforms(request, collect).ok());
  ASSERT_EQ(items.size(), 4u);
  const auto numbers = Unpack<double>(items[1].transforms());
  ASSERT_EQ(numbers.size(), 32u);  // the instance in the middle is invisible
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

TEST_F(GeomHandlersTest, ReturnsTransformsOfPrimsAtTimes) {
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

TEST_F(GeomHandlersTest, ReturnsVisibilityPurposeAndBounds) {
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

TEST_F(GeomHandlersTest, ReturnsAuthoredTokensThatAreNotAllowed) {
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

TEST_F(GeomHandlersTest, ReturnsInheritedAndFlattenedPrimvars) {
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

TEST_F(GeomHandlersTest, MissingPathsKeepTheirItems) {
  const Strings paths = {"/Nobody", "/X", "/X/Y"};
  const auto xforms = client().ComputeTransforms(Ask<v1::ComputeTransformsRequest>(paths, {0, 10}));
  ASSERT_TRUE(xforms.ok()) << xforms.status();
  EXPECT_NE(xforms->snapshot(), 0u);
  EXPECT_EQ(xforms->local_to_world_size(), 6 * 16);
  EXPECT_EQ(xforms->local_size(), 0) << "not requested";
  EXPECT_EQ(xforms->resets_xform_stack_size(), 6);
  EXPECT_EQ(xforms->local_to_world(0), 0);
  EXPECT_EQ(xforms->local_to_world(3 * 16 + 12), 10);
  EXPECT_TRUE(xforms->resets_xform_stack(4));
  EXPECT_TRUE(xforms->resets_xform_stack(5));

  const auto seen = client().ComputeVisibility(Ask<v1::ComputeVisibilityRequest>(paths, {0, 5}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_NE(seen->snapshot(), 0u);
  ASSERT_EQ(seen->visibility_size(), 6);
  EXPECT_EQ(seen->visibility(1), v1::VISIBILITY_UNSPECIFIED);
  EXPECT_EQ(seen->visibility(2), v1::VISIBILITY_INHERITED);
  EXPECT_EQ(seen->visibility(3), v1::VISIBILITY_INVISIBLE);
  ASSERT_EQ(seen->purpose_size(), 3);
  EXPECT_EQ(seen->purpose(0), v1::PURPOSE_UNSPECIFIED);
  EXPECT_EQ(seen->purpose(2), v1::PURPOSE_PROXY);
  EXPECT_EQ(seen->other_purposes_size(), 0);
  ASSERT_EQ(seen->path_errors_size(), 1);
  EXPECT_EQ(seen->path_errors(0).reason(), "PRIM_NOT_FOUND");

  const auto bounds = client().ComputeBounds(Ask<v1::ComputeBoundsRequest>(paths, {0, 10}));
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  EXPECT_NE(bounds->snapshot(), 0u);
  ASSERT_EQ(bounds->bounds_size(), 36);
  EXPECT_GT(bounds->bounds(0), bounds->bounds(3)) << "an empty bound";
  for (const int item : {2, 3, 4, 5}) {
    EXPECT_EQ(bounds->bounds(6 * item), -1) << item;
    EXPECT_EQ(bounds->bounds(6 * item + 4), 2) << item;
    EXPECT_EQ(bounds->bounds(6 * item + 5), 1) << item;
  }
  EXPECT_EQ(bounds->path_errors_size(), 1);
}

TEST_F(GeomHandlersTest, BoundsAreInTheRequestedSpace) {
  Write("root.usda", R"(
def Xform "A" {
  double3 xformOp:translate = (10, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Cube "B" {
    double3 xformOp:translate = (0, 5, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
}
)");
  stage_ = Open();
  auto request = Ask<v1::ComputeBoundsRequest>({"/A/B"}, {0});
  const auto minimum = [&](v1::BoundsSpace space) {
    request.set_space(space);
    const auto reply = client().ComputeBounds(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return std::vector<double>(reply->bounds().begin(), reply->bounds().begin() + 3);
  };
  EXPECT_EQ(minimum(v1::BOUNDS_SPACE_UNSPECIFIED), (std::vector<double>{9, 4, -1}));
  EXPECT_EQ(minimum(v1::BOUNDS_SPACE_WORLD), (std::vector<double>{9, 4, -1}));
  EXPECT_EQ(minimum(v1::BOUNDS_SPACE_LOCAL), (std::vector<double>{-1, 4, -1}));
  EXPECT_EQ(minimum(v1::BOUNDS_SPACE_UNTRANSFORMED), (std::vector<double>{-1, -1, -1}));
}

TEST_F(GeomHandlersTest, BoundsIncludeTheRequestedPurposes) {
  Write("root.usda", R"(
def Cube "D" {}
def Cube "R" { uniform token purpose = "render"; }
def Cube "P" { uniform token purpose = "proxy"; }
def Cube "G" { uniform token purpose = "guide"; }
)");
  stage_ = Open();
  const Strings paths = {"/D", "/R", "/P", "/G"};
  const auto seen = client().ComputeVisibility(Ask<v1::ComputeVisibilityRequest>(paths, {0}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(std::vector<int>(seen->purpose().begin(), seen->purpose().end()),
            (std::vector<int>{v1::PURPOSE_DEFAULT, v1::PURPOSE_RENDER, v1::PURPOSE_PROXY,
                              v1::PURPOSE_GUIDE}));
  auto request = Ask<v1::ComputeBoundsRequest>(paths, {0});
  const auto bounded = [&] {
    const auto reply = client().ComputeBounds(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    std::string letters;
    for (int i = 0; i < 4; ++i) {
      if (reply->bounds(6 * i) < reply->bounds(6 * i + 3)) {
        letters += paths[static_cast<size_t>(i)][1];
      }
    }
    return letters;
  };
  EXPECT_EQ(bounded(), "DRP");
  request.add_other_purposes("no prim has it");
  EXPECT_EQ(bounded(), "");
  request.add_purposes(v1::PURPOSE_OTHER);
  EXPECT_EQ(bounded(), "");
  request.add_purposes(v1::PURPOSE_GUIDE);
  request.add_purposes(v1::PURPOSE_RENDER);
  EXPECT_EQ(bounded(), "RG");
  request.add_purposes(v1::PURPOSE_DEFAULT);
  request.add_purposes(v1::PURPOSE_PROXY);
  EXPECT_EQ(bounded(), "DRPG");
}

TEST_F(GeomHandlersTest, ExtentsHintsAreUsedOnRequest) {
  Write("root.usda", R"(
def Xform "A" (
  prepend apiSchemas = ["GeomModelAPI"]
  kind = "component"
) {
  float3[] extentsHint = [(-7, 0, 0), (7, 1, 1)]
  def Cube "C" {}
}
)");
  stage_ = Open();
  auto request = Ask<v1::ComputeBoundsRequest>({"/A"}, {0});
  EXPECT_EQ(client().ComputeBounds(request)->bounds(0), -1);
  request.set_use_extents_hint(true);
  EXPECT_EQ(client().ComputeBounds(request)->bounds(0), -7);
}

TEST_F(GeomHandlersTest, OtherPurposesAreListedAtTheirPaths) {
  const auto seen =
      client().ComputeVisibility(Ask<v1::ComputeVisibilityRequest>({"/Odd", "/X", "/Odd"}, {0}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(Strings(seen->other_purposes().begin(), seen->other_purposes().end()),
            (Strings{"banana", "", "banana"}));
}

TEST_F(GeomHandlersTest, BatchesAndRepliesAreBounded) {
  ServerOptions options;
  options.limits.max_paths = 2;
  options.limits.max_times = 3;
  options.limits.max_items = 4;
  Start(options);
  stage_ = Open();
  const auto reason = [&](const Strings& paths, const std::vector<double>& frames) {
    return ErrorReason(
        client().ComputeTransforms(Ask<v1::ComputeTransformsRequest>(paths, frames)).status());
  };
  EXPECT_EQ(reason({"/X", "/X"}, {1, 2}), "");
  EXPECT_EQ(reason({"/X"}, {1, 2, 3}), "");
  EXPECT_EQ(reason({"/X", "/X", "/X"}, {1}), "REQUEST_TOO_LARGE");
  EXPECT_EQ(reason({"/X"}, {1, 2, 3, 4}), "REQUEST_TOO_LARGE");
  EXPECT_EQ(reason({"/X", "/X"}, {1, 2, 3}), "REQUEST_TOO_LARGE");
  EXPECT_EQ(reason({"/X"}, {}), "INVALID_TIME");

  options = ServerOptions();
  options.limits.max_reply_bytes = 2 * 129;
  Start(options);
  stage_ = Open();
  EXPECT_EQ(reason({"/X", "/X"}, {1}), "") << "a matrix and a flag per item";
  EXPECT_EQ(reason({"/X", "/X", "/X"}, {1}), "REQUEST_TOO_LARGE");
  auto local = Ask<v1::ComputeTransformsRequest>({"/X"}, {1});
  local.set_with_local(true);
  EXPECT_TRUE(client().ComputeTransforms(local).ok());
  local.add_paths("/X");
  EXPECT_EQ(ErrorReason(client().ComputeTransforms(local).status()), "REQUEST_TOO_LARGE");
  const auto bounds = [&](const std::vector<double>& frames) {
    return ErrorReason(
        client().ComputeBounds(Ask<v1::ComputeBoundsRequest>({"/X"}, frames)).status());
  };
  EXPECT_EQ(bounds({1, 2, 3, 4, 5}), "") << "48 bytes per item";
  EXPECT_EQ(bounds({1, 2, 3, 4, 5, 6}), "REQUEST_TOO_LARGE");
  const auto visibility = [&](size_t frames) {
    std::vector<double> times(frames, 1);
    return ErrorReason(
        client().ComputeVisibility(Ask<v1::ComputeVisibilityRequest>({"/X"}, times)).status());
  };
  EXPECT_EQ(visibility(63), "") << "four bytes per item, and for the purpose";
  EXPECT_EQ(visibility(64), "REQUEST_TOO_LARGE");
}

TEST_F(GeomHandlersTest, PrimvarsAreSplitAtTheServersMessageSize) {
  ServerOptions options;
  options.limits.message_bytes = 1000;
  Start(options);
  stage_ = Open();
  const auto request =
      Ask<v1::GetPrimvarsRequest>({"/X", "/Nobody", "/X/Y"}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto parts = All(&Client::GetPrimvars, request);
  EXPECT_GT(parts.size(), 2u);
  uint32_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].snapshot() != 0, i == 0);
    for (const v1::PrimPrimvars& item : parts[i].items()) {
      EXPECT_EQ(item.item(), next);
      EXPECT_EQ(item.has_error(), next / 10 == 1) << next;
      if (item.has_error()) {
        EXPECT_EQ(item.error().item(), next);
        EXPECT_EQ(item.error().reason(), "PRIM_NOT_FOUND");
      }
      ++next;
    }
  }
  EXPECT_EQ(next, 30u);
}

TEST_F(GeomHandlersTest, ReturnsOnlyTheNamedPrimvars) {
  Write("root.usda", R"(
def Cube "C" {
  float[] primvars:a = [1] ( interpolation = "constant" )
  float[] primvars:b.timeSamples = { 0: [2], 10: [4] }
  int[] primvars:b:indices = None
  float primvars:c = 5 ( elementSize = 2 )
}
)");
  stage_ = Open();
  auto request = Ask<v1::GetPrimvarsRequest>({"/C"}, {10});
  for (const char* name : {"c", "none", "b"}) request.add_names(name);
  const auto parts = All(&Client::GetPrimvars, request);
  ASSERT_EQ(parts.size(), 1u);
  const v1::PrimPrimvars& item = parts[0].items(0);
  ASSERT_EQ(item.primvars_size(), 2);
  EXPECT_EQ(item.primvars(0).name(), "c");
  EXPECT_EQ(item.primvars(0).type_name(), "float");
  EXPECT_EQ(item.primvars(0).value().float_value(), 5);
  EXPECT_EQ(item.primvars(0).element_size(), 2);
  EXPECT_EQ(item.primvars(1).name(), "b");
  EXPECT_EQ(Unpack<float>(item.primvars(1).value().array_value()), std::vector<float>{4});
  EXPECT_FALSE(item.primvars(0).has_indices());
}

TEST_F(GeomHandlersTest, InstancesAreAdvancedFromTheBaseTime) {
  Write("root.usda", R"(
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 10: [(10, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(24, 0, 0)], 10: [(48, 0, 0)] }
  rel prototypes = </I/A>
  def Cube "A" {}
}
)");
  stage_ = Open();
  auto request = Ask<v1::ComputeInstanceTransformsRequest>({"/I"}, {5});
  const auto x = [&] {
    const auto parts = All(&Client::ComputeInstanceTransforms, request);
    EXPECT_NE(parts[0].snapshot(), 0u);
    return Unpack<double>(parts[0].items(0).transforms())[12];
  };
  EXPECT_EQ(x(), 5) << "one unit per time code, from 0 on";
  request.mutable_base_time()->set_kind(v1::TimeCode::KIND_NUMERIC);
  request.mutable_base_time()->set_value(10);
  EXPECT_EQ(x(), 0) << "two units per time code, back from 10";
  request.mutable_base_time()->set_kind(v1::TimeCode::KIND_UNSPECIFIED);
  EXPECT_EQ(ErrorReason(End(&Client::ComputeInstanceTransforms, request)), "INVALID_TIME");
}

TEST_F(GeomHandlersTest, PrototypeIndicesFollowTheMask) {
  auto request = Ask<v1::ComputeInstanceTransformsRequest>({"/I"}, {0});
  const auto indices = [&] {
    const auto parts = All(&Client::ComputeInstanceTransforms, request);
    const auto& all = parts[0].items(0).prototype_indices();
    return std::vector<uint32_t>(all.begin(), all.end());
  };
  EXPECT_EQ(indices(), (std::vector<uint32_t>{0, 0}));
  request.set_ignore_mask(true);
  EXPECT_EQ(indices(), (std::vector<uint32_t>{0, 1, 0}));
}

TEST_F(GeomHandlersTest, ReportsAnItemThatIsTooLarge) {
  std::string many = "1";
  for (int i = 0; i < 999; ++i) many += ", 1";
  Write("root.usda", Concat("def Cube \"Big\" { float[] primvars:a = [", many,
                            "]; }\ndef Cube \"Small\" { float primvars:a = 1; }\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  stage_ = Open();
  std::vector<v1::PrimPrimvars> items;
  for (const auto& part :
       All(&Client::GetPrimvars, Ask<v1::GetPrimvarsRequest>({"/Big", "/Small"}, {0}))) {
    items.insert(items.end(), part.items().begin(), part.items().end());
  }
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].item(), 0u);
  EXPECT_EQ(items[0].error().reason(), "REQUEST_TOO_LARGE");
  EXPECT_EQ(items[0].primvars_size(), 0);
  EXPECT_EQ(items[1].item(), 1u);
  EXPECT_EQ(items[1].primvars_size(), 1);
}

}  // namespace
}  // namespace stagedoor
