#include "server/handlers/geom_handlers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/testing/geom_scene_test.h"
#include "server/testing/packed_values.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

using GeomHandlersTest = GeomSceneTest;

TEST_F(GeomHandlersTest, ReturnsTransformsOfPrimsAtTimes) {
  auto request = MakeRequest<v1::ComputeTransformsRequest>({"/X", "/X/Y", "/Nowhere"}, {0, 10});
  request.set_with_local(true);
  const auto reply = client().ComputeTransforms(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(Unpack<double>(reply->local_to_world()).size(), 6u * 16);
  EXPECT_EQ(Unpack<double>(reply->local_to_world())[16 + 12], 10);
  EXPECT_EQ(Unpack<double>(reply->local_to_world())[3 * 16 + 12], 0);
  EXPECT_EQ(Unpack<double>(reply->local_to_world())[3 * 16 + 13], 1);
  EXPECT_EQ(Unpack<double>(reply->local())[16 + 12], 10);
  for (const v1::PackedValues* packed : {&reply->local_to_world(), &reply->local()}) {
    const auto matrices = Unpack<double>(*packed);
    EXPECT_EQ(std::count(matrices.begin() + 4 * 16, matrices.end(), 0), 2 * 16);
  }
  EXPECT_FALSE(reply->resets_xform_stack(0));
  EXPECT_TRUE(reply->resets_xform_stack(2));
  ASSERT_EQ(reply->path_errors_size(), 1);
  EXPECT_EQ(reply->path_errors(0).item(), 2u);
}

TEST_F(GeomHandlersTest, ReturnsBlocksOfTransformsOnRequest) {
  auto request = MakeRequest<v1::ComputeTransformsRequest>({"/X", "/X/Y"}, {0, 10});
  request.set_allow_blocks(true);
  const auto reply = client().ComputeTransforms(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_FALSE(reply->has_local_to_world());
  ASSERT_EQ(reply->resets_xform_stack_size(), 4);
  EXPECT_TRUE(reply->resets_xform_stack(3));
  ASSERT_EQ(reply->blocks_size(), 1);
  EXPECT_EQ(reply->blocks(0).path_count(), 2u);
  EXPECT_EQ(reply->blocks(0).extents(), 2u << 24 | 1u << 26);
  v1::PackedValues packed;
  packed.set_data(reply->blocks(0).numbers());
  EXPECT_EQ(Unpack<double>(packed),
            (std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 10, 0, 0, 0, 1, 0, 1}));
}

TEST_F(GeomHandlersTest, ReturnsBlocksOfWorldTransformsAtFewTimesOnly) {
  auto request = MakeRequest<v1::ComputeTransformsRequest>({"/X"}, {0});
  request.set_allow_blocks(true);
  request.set_with_local(true);
  const auto both = client().ComputeTransforms(request);
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->blocks_size(), 0);
  EXPECT_TRUE(both->has_local_to_world());
  request = MakeRequest<v1::ComputeTransformsRequest>({"/X"}, std::vector<double>(17, 1));
  request.set_allow_blocks(true);
  const auto many = client().ComputeTransforms(request);
  ASSERT_TRUE(many.ok()) << many.status();
  EXPECT_EQ(many->blocks_size(), 0);
  EXPECT_EQ(Unpack<double>(many->local_to_world()).size(), 17u * 16);
}

TEST_F(GeomHandlersTest, ReturnsVisibilityPurposeAndBounds) {
  const auto seen =
      client().ComputeVisibility(MakeRequest<v1::ComputeVisibilityRequest>({"/X/Y", "/I"}, {0, 5}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->visibility(0), v1::VISIBILITY_INHERITED);
  EXPECT_EQ(seen->visibility(1), v1::VISIBILITY_INVISIBLE);
  EXPECT_EQ(seen->purpose(0), v1::PURPOSE_PROXY);
  EXPECT_EQ(seen->purpose(1), v1::PURPOSE_DEFAULT);
  auto request = MakeRequest<v1::ComputeBoundsRequest>({"/X"}, {0});
  const auto bounds = client().ComputeBounds(request);
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  EXPECT_EQ(Unpack<double>(bounds->bounds())[1], 0);
  EXPECT_EQ(Unpack<double>(bounds->bounds())[4], 2);
  request.add_purposes(v1::PURPOSE_GUIDE);
  const auto none = client().ComputeBounds(request);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_GT(Unpack<double>(none->bounds())[0], Unpack<double>(none->bounds())[3]);
}

TEST_F(GeomHandlersTest, MissingPathsKeepTheirItems) {
  const Strings paths = {"/Nobody", "/X", "/X/Y"};
  const auto xforms =
      client().ComputeTransforms(MakeRequest<v1::ComputeTransformsRequest>(paths, {0, 10}));
  ASSERT_TRUE(xforms.ok()) << xforms.status();
  EXPECT_EQ(xforms->snapshot().size(), 32u);
  EXPECT_EQ(Unpack<double>(xforms->local_to_world()).size(), 6u * 16);
  EXPECT_FALSE(xforms->has_local()) << "not requested";
  EXPECT_EQ(xforms->resets_xform_stack_size(), 6);
  EXPECT_EQ(Unpack<double>(xforms->local_to_world())[0], 0);
  EXPECT_EQ(Unpack<double>(xforms->local_to_world())[3 * 16 + 12], 10);
  EXPECT_TRUE(xforms->resets_xform_stack(4));
  EXPECT_TRUE(xforms->resets_xform_stack(5));

  const auto seen =
      client().ComputeVisibility(MakeRequest<v1::ComputeVisibilityRequest>(paths, {0, 5}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->snapshot().size(), 32u);
  ASSERT_EQ(seen->visibility_size(), 6);
  EXPECT_EQ(seen->visibility(1), v1::VISIBILITY_UNSPECIFIED);
  EXPECT_EQ(seen->visibility(2), v1::VISIBILITY_INHERITED);
  EXPECT_EQ(seen->visibility(3), v1::VISIBILITY_INVISIBLE);
  ASSERT_EQ(seen->purpose_size(), 3);
  EXPECT_EQ(seen->purpose(0), v1::PURPOSE_UNSPECIFIED);
  EXPECT_EQ(seen->purpose(2), v1::PURPOSE_PROXY);
  EXPECT_EQ(seen->other_purposes_size(), 0);
  ASSERT_EQ(seen->path_errors_size(), 1);
  EXPECT_EQ(seen->path_errors(0).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);

  const auto bounds = client().ComputeBounds(MakeRequest<v1::ComputeBoundsRequest>(paths, {0, 10}));
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  EXPECT_EQ(bounds->snapshot().size(), 32u);
  ASSERT_EQ(Unpack<double>(bounds->bounds()).size(), 36u);
  EXPECT_GT(Unpack<double>(bounds->bounds())[0], Unpack<double>(bounds->bounds())[3])
      << "an empty bound";
  for (const int item : {2, 3, 4, 5}) {
    EXPECT_EQ(Unpack<double>(bounds->bounds())[6 * item], -1) << item;
    EXPECT_EQ(Unpack<double>(bounds->bounds())[6 * item + 4], 2) << item;
    EXPECT_EQ(Unpack<double>(bounds->bounds())[6 * item + 5], 1) << item;
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
  auto request = MakeRequest<v1::ComputeBoundsRequest>({"/A/B"}, {0});
  const auto minimum = [&](v1::BoundsSpace space) {
    request.set_space(space);
    const auto reply = client().ComputeBounds(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    std::vector<double> numbers = Unpack<double>(reply->bounds());
    numbers.resize(3);
    return numbers;
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
  const auto seen =
      client().ComputeVisibility(MakeRequest<v1::ComputeVisibilityRequest>(paths, {0}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(std::vector<int>(seen->purpose().begin(), seen->purpose().end()),
            (std::vector<int>{v1::PURPOSE_DEFAULT, v1::PURPOSE_RENDER, v1::PURPOSE_PROXY,
                              v1::PURPOSE_GUIDE}));
  auto request = MakeRequest<v1::ComputeBoundsRequest>(paths, {0});
  const auto bounded = [&] {
    const auto reply = client().ComputeBounds(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    std::string letters;
    for (int i = 0; i < 4; ++i) {
      if (Unpack<double>(reply->bounds())[6 * i] < Unpack<double>(reply->bounds())[6 * i + 3]) {
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
  auto request = MakeRequest<v1::ComputeBoundsRequest>({"/A"}, {0});
  EXPECT_EQ(Unpack<double>(client().ComputeBounds(request)->bounds())[0], -1);
  request.set_use_extents_hint(true);
  EXPECT_EQ(Unpack<double>(client().ComputeBounds(request)->bounds())[0], -7);
}

TEST_F(GeomHandlersTest, OtherPurposesAreListedAtTheirPaths) {
  const auto seen = client().ComputeVisibility(
      MakeRequest<v1::ComputeVisibilityRequest>({"/Odd", "/X", "/Odd"}, {0}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(Strings(seen->other_purposes().begin(), seen->other_purposes().end()),
            (Strings{"banana", "", "banana"}));
}

TEST_F(GeomHandlersTest, VisibilityForPurposesAndProxiesAreReturnedOnRequest) {
  Write("root.usda", R"(
def Xform "A" ( apiSchemas = ["VisibilityAPI"] ) {
  uniform token purpose = "render"
  token renderVisibility.timeSamples = { 0: "visible", 5: "odd" }
  rel proxyPrim = </P>
  def Mesh "B" {}
}
def Mesh "P" {
  uniform token purpose = "proxy"
}
)");
  stage_ = Open();
  auto request = MakeRequest<v1::ComputeVisibilityRequest>({"/A/B", "/P", "/None"}, {0, 5});
  auto seen = client().ComputeVisibility(request);
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->effective_visibility_size() + seen->proxy_prims_size(), 0) << "not requested";
  request.add_effective_purposes(v1::PURPOSE_RENDER);
  request.add_effective_purposes(v1::PURPOSE_GUIDE);
  request.set_with_proxy_prims(true);
  seen = client().ComputeVisibility(request);
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(
      std::vector<int>(seen->effective_visibility().begin(), seen->effective_visibility().end()),
      (std::vector<int>{
          v1::VISIBILITY_VISIBLE, v1::VISIBILITY_INVISIBLE, v1::VISIBILITY_OTHER,
          v1::VISIBILITY_INVISIBLE, v1::VISIBILITY_INHERITED, v1::VISIBILITY_INVISIBLE,
          v1::VISIBILITY_INHERITED, v1::VISIBILITY_INVISIBLE, v1::VISIBILITY_UNSPECIFIED,
          v1::VISIBILITY_UNSPECIFIED, v1::VISIBILITY_UNSPECIFIED, v1::VISIBILITY_UNSPECIFIED}));
  EXPECT_EQ(Strings(seen->proxy_prims().begin(), seen->proxy_prims().end()),
            (Strings{"/P", "", ""}));
  EXPECT_EQ(Strings(seen->render_prims().begin(), seen->render_prims().end()),
            (Strings{"/A", "", ""}));
}

TEST_F(GeomHandlersTest, EffectivePurposesAreChecked) {
  const auto reason = [&](int purpose, int count) {
    auto request = MakeRequest<v1::ComputeVisibilityRequest>({"/X"}, {0});
    for (int i = 0; i < count; ++i) {
      request.add_effective_purposes(static_cast<v1::Purpose>(purpose));
    }
    return ErrorReason(client().ComputeVisibility(request).status());
  };
  EXPECT_EQ(reason(v1::PURPOSE_DEFAULT, 16), "");
  EXPECT_EQ(reason(v1::PURPOSE_GUIDE, 17), "REQUEST_TOO_LARGE");
  for (const int purpose : {0, static_cast<int>(v1::PURPOSE_OTHER), 99}) {
    EXPECT_EQ(reason(purpose, 1), "INVALID_FIELD") << purpose;
  }
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
        client()
            .ComputeTransforms(MakeRequest<v1::ComputeTransformsRequest>(paths, frames))
            .status());
  };
  EXPECT_EQ(reason({"/X", "/X"}, {1, 2}), "");
  EXPECT_EQ(reason({"/X"}, {1, 2, 3}), "");
  EXPECT_EQ(reason({"/X", "/X", "/X"}, {1}), "REQUEST_TOO_LARGE");
  EXPECT_EQ(reason({"/X"}, {1, 2, 3, 4}), "REQUEST_TOO_LARGE");
  EXPECT_EQ(reason({"/X", "/X"}, {1, 2, 3}), "REQUEST_TOO_LARGE");
  EXPECT_EQ(reason({"/X"}, {}), "INVALID_TIME");

  options = ServerOptions();
  options.limits.max_reply_bytes = sizeof(v1::PackedValues) + 2 * 129;
  Start(options);
  stage_ = Open();
  EXPECT_EQ(reason({"/X", "/X"}, {1}), "") << "a matrix and a flag per item";
  EXPECT_EQ(reason({"/X", "/X", "/X"}, {1}), "REQUEST_TOO_LARGE");
  const auto bounds = [&](const std::vector<double>& frames) {
    return ErrorReason(
        client().ComputeBounds(MakeRequest<v1::ComputeBoundsRequest>({"/X"}, frames)).status());
  };
  EXPECT_EQ(bounds({1, 2, 3, 4, 5}), "") << "48 bytes per item";
  EXPECT_EQ(bounds({1, 2, 3, 4, 5, 6}), "REQUEST_TOO_LARGE");
  const auto visibility = [&](size_t frames) {
    std::vector<double> times(frames, 1);
    return ErrorReason(
        client()
            .ComputeVisibility(MakeRequest<v1::ComputeVisibilityRequest>({"/X"}, times))
            .status());
  };
  const size_t fit = options.limits.max_reply_bytes / 4 - 1;
  EXPECT_EQ(visibility(fit), "") << "four bytes per item, and for the purpose";
  EXPECT_EQ(visibility(fit + 1), "REQUEST_TOO_LARGE");

  options.limits.max_reply_bytes = 2 * (sizeof(v1::PackedValues) + sizeof(double) * 16) + 1;
  Start(options);
  stage_ = Open();
  auto local = MakeRequest<v1::ComputeTransformsRequest>({"/X"}, {1});
  local.set_with_local(true);
  EXPECT_TRUE(client().ComputeTransforms(local).ok());
  local.add_paths("/X");
  EXPECT_EQ(ErrorReason(client().ComputeTransforms(local).status()), "REQUEST_TOO_LARGE");
}

// A purpose that UsdGeom does not know is sent as text.
TEST_F(GeomHandlersTest, PurposesOfVisibilityCountTowardsTheReply) {
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  const auto reason = [&](size_t length) {
    Write("purposes.usda", Concat("def Xform \"X\" { uniform token purpose = \"",
                                  std::string(length, 'x'), "\"; }\n"));
    v1::OpenStageRequest open;
    open.set_root_layer("/purposes.usda");
    stage_ = Open(open);
    return ErrorReason(
        client()
            .ComputeVisibility(MakeRequest<v1::ComputeVisibilityRequest>({"/X"}, {1}))
            .status());
  };
  EXPECT_EQ(reason(100), "");
  EXPECT_EQ(reason(1001), "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
