#include "server/handlers/explain_handler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

class ExplainHandlerTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("weak.usda", "def Xform \"World\" { double x = 7; }\n");
    Write("root.usda", R"(( subLayers = [@weak.usda@] )
over "World"
{
    double x.timeSamples = { 1: 10, 3: 30 }
    double none = None
    bool on.timeSamples = { 1: 0, 3: 1 }
    double gap.timeSamples = { 1: 10, 3: None, 5: 30, 7: 40 }
    double[] sizes.timeSamples = { 1: [1], 3: [1, 2] }
}
)");
  }
  v1::ExplainRequest MakeRequest(const std::string& path, const std::vector<double>& frames) {
    v1::ExplainRequest request;
    *request.mutable_stage() = Open();
    request.set_path(path);
    for (const double frame : frames) request.mutable_times()->add_frames(frame);
    return request;
  }
};

TEST_F(ExplainHandlerTest, ReportsTheSamplesAroundEachTime) {
  const auto reply = client().Explain(MakeRequest("/World.x", {2, 3, 9}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->explanations_size(), 3);
  const v1::Explanation& between = reply->explanations(0);
  EXPECT_EQ(between.time().numeric(), 2);
  EXPECT_EQ(between.value().double_value(), 20);
  EXPECT_EQ(between.source(), v1::VALUE_SOURCE_TIME_SAMPLES);
  EXPECT_EQ(between.site().layer(), "/root.usda");
  EXPECT_EQ(between.layer_time(), 2);
  EXPECT_TRUE(between.has_lower_sample());
  EXPECT_TRUE(between.interpolated());
  EXPECT_EQ(between.lower_sample(), 1);
  EXPECT_EQ(between.upper_sample(), 3);
  const v1::Explanation& at = reply->explanations(1);
  EXPECT_FALSE(at.interpolated());
  EXPECT_EQ(at.lower_sample(), 3);
  EXPECT_EQ(at.upper_sample(), 3);
  EXPECT_FALSE(reply->explanations(2).interpolated());
  EXPECT_EQ(reply->explanations(2).value().double_value(), 30);
}

TEST_F(ExplainHandlerTest, HeldValuesAreNotInterpolated) {
  v1::ExplainRequest request = MakeRequest("/World.x", {2});
  request.set_interpolation(v1::INTERPOLATION_HELD);
  const auto reply = client().Explain(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->explanations(0).value().double_value(), 10);
  EXPECT_FALSE(reply->explanations(0).interpolated());
}

TEST_F(ExplainHandlerTest, OnlyValuesThatInterpolateAreInterpolated) {
  const auto interpolated = [&](const std::string& path, double frame) {
    const auto reply = client().Explain(MakeRequest(path, {frame}));
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() && reply->explanations(0).interpolated();
  };
  EXPECT_FALSE(interpolated("/World.on", 2));
  EXPECT_FALSE(interpolated("/World.sizes", 2));
  EXPECT_FALSE(interpolated("/World.gap", 2));  // held until the block
  EXPECT_TRUE(interpolated("/World.gap", 6));
}

TEST_F(ExplainHandlerTest, ReportsABlockedSample) {
  const auto reply = client().Explain(MakeRequest("/World.gap", {2, 3, 4, 5}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->explanations(0).value().double_value(), 10);
  EXPECT_TRUE(reply->explanations(1).value().has_block());
  EXPECT_TRUE(reply->explanations(2).value().has_block());
  EXPECT_EQ(reply->explanations(3).value().double_value(), 30);
}

TEST_F(ExplainHandlerTest, ListsOpinionsStrongestFirst) {
  const auto reply = client().Explain(MakeRequest("/World.x", {2}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  Strings layers;
  for (const v1::Site& site : reply->explanations(0).stack()) layers.push_back(site.layer());
  EXPECT_EQ(layers, (Strings{"/root.usda", "/weak.usda"}));
  layers.clear();
  for (const v1::Site& site : reply->prim_stack()) layers.push_back(site.layer());
  EXPECT_EQ(layers, (Strings{"/root.usda", "/weak.usda"}));
}

TEST_F(ExplainHandlerTest, ListsTheValueOfEachOpinion) {
  const auto reply = client().Explain(MakeRequest("/World.x", {2}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  const v1::Explanation& explanation = reply->explanations(0);
  ASSERT_EQ(explanation.opinions_size(), 2);
  EXPECT_EQ(explanation.opinions(0).source(), v1::VALUE_SOURCE_TIME_SAMPLES);
  EXPECT_EQ(explanation.opinions(0).value().double_value(), 20);
  EXPECT_EQ(explanation.opinions(1).source(), v1::VALUE_SOURCE_DEFAULT);
  EXPECT_EQ(explanation.opinions(1).value().double_value(), 7);
  EXPECT_EQ(explanation.opinions(1).element_count(), 0u);
  const auto none = client().Explain(MakeRequest("/World.none", {2}));
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(none->explanations(0).opinions(0).value().has_block());
}

TEST_F(ExplainHandlerTest, OpinionsHaveTheFirstElementsOfArrays) {
  std::string numbers = "0";
  std::string steps = "append 0";
  for (int i = 1; i < 17; ++i) {
    numbers += Concat(", ", i);
    steps += Concat("; append ", i);
  }
  Write("weak.usda", Concat("def \"World\" { int[] a = [", numbers, "]\n}\n"));
  Write("root.usda", Concat("#usda 1.2\n( subLayers = [@weak.usda@] )\nover \"World\" {\n"
                            "int[] a = edit [",
                            steps, "]\n}\n"));
  const auto reply = client().Explain(MakeRequest("/World.a", {1}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  const v1::Explanation& explanation = reply->explanations(0);
  EXPECT_EQ(explanation.value().array_value().count(), 34u);
  ASSERT_EQ(explanation.opinions_size(), 2);
  EXPECT_EQ(explanation.opinions(0).element_count(), 17u);
  EXPECT_TRUE(explanation.opinions(0).value().array_edit().ends_with("append 15]"))
      << explanation.opinions(0).value().array_edit();
  EXPECT_EQ(explanation.opinions(1).element_count(), 17u);
  EXPECT_EQ(explanation.opinions(1).value().array_value().count(), 16u);
}

TEST_F(ExplainHandlerTest, ReportsABlock) {
  const auto reply = client().Explain(MakeRequest("/World.none", {2}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->explanations_size(), 1);
  EXPECT_TRUE(reply->explanations(0).value().has_block());
  EXPECT_FALSE(reply->explanations(0).has_lower_sample());
}

TEST_F(ExplainHandlerTest, ExplainsTheCompositionOfAPrim) {
  const auto reply = client().Explain(MakeRequest("/World", {2}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->prim_stack_size(), 2);
  EXPECT_EQ(reply->explanations_size(), 0);
  EXPECT_EQ(ErrorReason(client().Explain(MakeRequest("/Nobody", {2})).status()), "PRIM_NOT_FOUND");
  EXPECT_EQ(ErrorReason(client().Explain(MakeRequest("/World.y", {2})).status()),
            "ATTRIBUTE_NOT_FOUND");
}

TEST_F(ExplainHandlerTest, LimitsTheNumberOfTimes) {
  ServerOptions options;
  options.limits.max_page_size = 2;
  Start(options);
  EXPECT_TRUE(client().Explain(MakeRequest("/World.x", {1, 2})).ok());
  EXPECT_EQ(ErrorReason(client().Explain(MakeRequest("/World.x", {1, 2, 3})).status()),
            "REQUEST_TOO_LARGE");
}

TEST_F(ExplainHandlerTest, MapsTimesToTheLayerOfTheOpinion) {
  Write("weak.usda", "def Xform \"World\" { double y.timeSamples = { 1: 10, 3: 30 }; }\n");
  Write("root.usda", "( subLayers = [@weak.usda@ (offset = 10; scale = 2)] )\n");
  const auto reply = client().Explain(MakeRequest("/World.y", {14}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->snapshot().size(), 32u);
  const v1::Explanation& explanation = reply->explanations(0);
  EXPECT_EQ(explanation.layer_time(), 2);
  EXPECT_EQ(explanation.site().layer(), "/weak.usda");
  EXPECT_EQ(explanation.site().layer_offset().scale(), 2);
  EXPECT_EQ(explanation.stack_size(), 1);
  EXPECT_EQ(explanation.lower_sample(), 12);
  EXPECT_EQ(explanation.upper_sample(), 16);
  EXPECT_TRUE(explanation.interpolated());
  EXPECT_GT(explanation.notes_size(), 0);
}

TEST_F(ExplainHandlerTest, ExplainsTheDefaultTime) {
  v1::ExplainRequest request = MakeRequest("/World.x", {});
  request.mutable_times()->add_times()->mutable_default_time();
  const auto reply = client().Explain(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const v1::Explanation& explanation = reply->explanations(0);
  EXPECT_TRUE(explanation.time().has_default_time());
  EXPECT_EQ(explanation.value().double_value(), 7);
  EXPECT_EQ(explanation.source(), v1::VALUE_SOURCE_DEFAULT);
  EXPECT_EQ(explanation.site().layer(), "/weak.usda");
  EXPECT_FALSE(explanation.has_lower_sample());
  EXPECT_FALSE(explanation.has_upper_sample());
  EXPECT_FALSE(explanation.has_layer_time());
}

TEST_F(ExplainHandlerTest, AFallbackHasNoSite) {
  const auto reply = client().Explain(MakeRequest("/World.visibility", {1}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  const v1::Explanation& explanation = reply->explanations(0);
  EXPECT_EQ(explanation.source(), v1::VALUE_SOURCE_FALLBACK);
  EXPECT_EQ(explanation.value().token_value(), "inherited");
  EXPECT_FALSE(explanation.has_site());
  EXPECT_EQ(explanation.stack_size(), 0);
}

TEST_F(ExplainHandlerTest, BeforeTheFirstSampleNothingIsInterpolated) {
  const auto reply = client().Explain(MakeRequest("/World.x", {0, 1}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  for (const v1::Explanation& explanation : reply->explanations()) {
    EXPECT_FALSE(explanation.interpolated());
    EXPECT_EQ(explanation.lower_sample(), 1);
    EXPECT_EQ(explanation.value().double_value(), 10);
  }
}

TEST_F(ExplainHandlerTest, AClipThatCannotBeOpenedIsAWarning) {
  Write("manifest.usda", "def \"C\" { double x; }\n");
  Write("root.usda", R"(def "P" (
    clips = { dictionary default = {
        asset[] assetPaths = [@./missing.usda@]
        double2[] active = [(0, 0)]
        asset manifestAssetPath = @./manifest.usda@
        string primPath = "/C"
    } }
) { double x; }
)");
  const auto reply = client().Explain(MakeRequest("/P.x", {1, 2}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->explanations_size(), 2);
  ASSERT_EQ(reply->warnings_size(), 1);
  const v1::Warning& warning = reply->warnings(0);
  EXPECT_EQ(warning.kind(), v1::Warning::KIND_MISSING_ASSET);
  EXPECT_EQ(warning.asset(), "./missing.usda");
  EXPECT_TRUE(warning.message().starts_with("cannot open clip layer @./missing.usda@: "))
      << warning.message();
}

TEST_F(ExplainHandlerTest, RepliesAreBounded) {
  ServerOptions options;
  options.limits.max_reply_bytes = 2000;
  Start(options);
  EXPECT_TRUE(client().Explain(MakeRequest("/World.x", {1})).ok());
  EXPECT_EQ(ErrorReason(client().Explain(MakeRequest("/World.x", {1, 2, 3, 4, 5})).status()),
            "REQUEST_TOO_LARGE");
  options.limits.max_reply_bytes = 600;  // enough to open the stage
  Start(options);
  const std::string name(1000, 'x');
  Write("root.usda", Concat("def \"", name, "\" {}\n"));
  EXPECT_EQ(ErrorReason(client().Explain(MakeRequest("/" + name, {})).status()),
            "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
