// The limits of replies: every byte is charged before it is filled in.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

// A stage whose prim "Big" has more of everything than the limits of a small server allow.
class RepliesTest : public ServerTest {
 protected:
  static constexpr size_t kBound = 100000;

  void SetUp() override {
    std::string numbers, words, targets, dictionary, choices;
    for (int i = 0; i < 4000; ++i) {
      const char* comma = i == 0 ? "" : ", ";
      numbers += Concat(comma, i, ".25");
      words += Concat(comma, "\"a token of some length ", i, "\"");
      targets += Concat(comma, "</Small/a_target_of_some_length_", i, ">");
      dictionary += Concat("string entry", i, " = \"a string of some length\"\n");
      choices += Concat("\"a_choice_of_some_length_", i, "\" {}\n");
    }
    Write("root.usda", Concat(R"(( customLayerData = {
)",
                              dictionary, R"(} )
def Xform "Small" {
    double x = 1
}
def Xform "Big" (
    customData = {
)",
                              dictionary, R"(}
    prepend variantSets = "v"
    prepend apiSchemas = ["CollectionAPI:all"]
) {
    double[] numbers.timeSamples = { 1: [)",
                              numbers, "], 2: [1], 3: [", numbers, R"(], }
    token[] words = [)",
                              words, R"(]
    rel targets = [)",
                              targets, R"(]
    uniform token collection:all:expansionRule = "explicitOnly"
    rel collection:all:includes = [)",
                              targets, R"(]
    double[] primvars:wide = [)",
                              numbers, R"(]
    variantSet "v" = {
)",
                              choices, R"(}
}
def Xform "Last" {
    double x = 2
}
)"));
  }

  void StartSmall() {
    ServerOptions options;
    options.limits.max_reply_bytes = kBound;
    Start(options);
    stage_ = Open();
  }

  // Whether a reply was rejected because it is too large, else what happened instead.
  template <typename Response>
  static ::testing::AssertionResult TooLarge(const absl::StatusOr<Response>& reply) {
    if (reply.ok()) return ::testing::AssertionFailure() << "the call succeeded";
    if (ErrorReason(reply.status()) != "REQUEST_TOO_LARGE" ||
        reply.status().code() != absl::StatusCode::kResourceExhausted ||
        Message(reply.status()).find("the reply would exceed ") == std::string::npos) {
      return ::testing::AssertionFailure() << reply.status();
    }
    return ::testing::AssertionSuccess();
  }
  static ::testing::AssertionResult TooLarge(const v1::ItemStatus& error) {
    if (error.reason() == v1::ERROR_REASON_REQUEST_TOO_LARGE && error.code() == 8) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << error.DebugString();
  }

  v1::StageRef stage_;
};

TEST_F(RepliesTest, EveryFieldOfAPrimIsLimited) {
  StartSmall();
  for (const char* field :
       {"variant_sets", "metadata", "properties.values", "properties.targets"}) {
    v1::GetPrimRequest request;
    *request.mutable_stage() = stage_;
    request.set_path("/Big");
    request.mutable_read_mask()->add_paths(field);
    request.mutable_times()->add_ranges("1:3");
    EXPECT_TRUE(TooLarge(client().GetPrim(request))) << field;
    request.set_path("/Small");
    EXPECT_TRUE(client().GetPrim(request).ok());
  }
}

TEST_F(RepliesTest, UnaryRepliesAreLimited) {
  StartSmall();
  v1::BatchGetValuesRequest values;
  *values.mutable_stage() = stage_;
  values.add_paths("/Big.words");
  values.mutable_times()->add_frames(1);
  EXPECT_TRUE(TooLarge(client().BatchGetValues(values)));

  v1::ExplainRequest explain;
  *explain.mutable_stage() = stage_;
  explain.set_path("/Big.numbers");
  explain.mutable_times()->add_ranges("1:3");
  EXPECT_TRUE(client().Explain(explain).ok());
  explain.mutable_times()->add_ranges("3:9");
  EXPECT_TRUE(TooLarge(client().Explain(explain)));

  v1::GetStageRequest stage;
  *stage.mutable_stage() = stage_;
  EXPECT_TRUE(client().GetStage(stage).ok());
  stage.add_details(v1::STAGE_DETAIL_METADATA);
  EXPECT_TRUE(TooLarge(client().GetStage(stage)));
}

TEST_F(RepliesTest, RepliesOfManySmallItemsAreLimited) {
  StartSmall();
  const auto ask = [&](auto* request, const char* path, const char* times) {
    *request->mutable_stage() = stage_;
    request->add_paths(path);
    request->mutable_times()->add_ranges(times);
  };
  v1::BatchGetValuesRequest values;
  ask(&values, "/Small.x", "1:10000");
  EXPECT_TRUE(TooLarge(client().BatchGetValues(values)));
  v1::ComputeTransformsRequest transforms;
  ask(&transforms, "/Small", "1:1000");
  EXPECT_TRUE(TooLarge(client().ComputeTransforms(transforms)));
  v1::ComputeVisibilityRequest visibility;
  ask(&visibility, "/Small", "1:30000");
  EXPECT_TRUE(TooLarge(client().ComputeVisibility(visibility)));
  v1::ComputeBoundsRequest bounds;
  ask(&bounds, "/Small", "1:3000");
  EXPECT_TRUE(TooLarge(client().ComputeBounds(bounds)));

  v1::GetBracketingTimeSamplesRequest brackets;
  *brackets.mutable_stage() = stage_;
  brackets.add_paths("/Small.x");
  for (int i = 0; i < 10000; ++i) brackets.add_times(i);
  EXPECT_TRUE(TooLarge(client().GetBracketingTimeSamples(brackets)));
  v1::ListTimeSamplesRequest samples;
  *samples.mutable_stage() = stage_;
  for (int i = 0; i < 3000; ++i) samples.add_paths("/Small.x");
  EXPECT_TRUE(TooLarge(client().ListTimeSamples(samples)));
}

TEST_F(RepliesTest, PathErrorsAreLimited) {
  StartSmall();
  v1::BatchGetValuesRequest values;
  *values.mutable_stage() = stage_;
  v1::ComputeBoundsRequest bounds;
  *bounds.mutable_stage() = stage_;
  for (int i = 0; i < 2000; ++i) {
    values.add_paths(Concat("/Small.none", i));
    bounds.add_paths(Concat("/None", i));
  }
  values.mutable_times()->add_frames(1);
  bounds.mutable_times()->add_frames(1);
  EXPECT_TRUE(TooLarge(client().BatchGetValues(values)));
  EXPECT_TRUE(TooLarge(client().ComputeBounds(bounds)));
}

TEST_F(RepliesTest, ListsOfReloadedLayersAreLimited) {
  constexpr int kLayers = 20;
  const auto write = [&](int number, const char* content) {
    Write(Concat("a_sublayer_of_some_length_", number, ".usda"), content);
  };
  std::string sublayers;
  for (int i = 0; i < kLayers; ++i) {
    write(i, "def \"P\" {}\n");
    sublayers += Concat("@./a_sublayer_of_some_length_", i, ".usda@,\n");
  }
  Write("layers.usda", Concat("( subLayers = [\n", sublayers, "] )\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  v1::OpenStageRequest open;
  open.set_root_layer("/layers.usda");
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = Open(open);
  write(0, "def \"Q\" {}\n");
  const auto reloaded = client().ReloadStage(reload);
  ASSERT_TRUE(reloaded.ok()) << reloaded.status();
  EXPECT_EQ(reloaded->reloaded_layers_size(), 1);
  for (int i = 0; i < kLayers; ++i) write(i, "def \"R\" {}\n");
  EXPECT_TRUE(TooLarge(client().ReloadStage(reload)));
}

TEST_F(RepliesTest, ListsOfCallsAreLimited) {
  ServerOptions options;
  options.limits.max_reply_bytes = 3 * sizeof(v1::EndedCall);
  Start(options);
  // Each of these calls is soon among those that have ended.
  absl::StatusOr<v1::ListCallsResponse> calls = client().ListCalls({});
  EXPECT_TRUE(calls.ok()) << calls.status();
  for (int i = 0; i < 1000 && calls.ok(); ++i) calls = client().ListCalls({});
  EXPECT_TRUE(TooLarge(calls));
}

TEST_F(RepliesTest, TheDefaultLimitAppliesToTenMillionItems) {
  const v1::StageRef stage = Open();
  v1::ComputeTransformsRequest request;
  *request.mutable_stage() = stage;
  for (int i = 0; i < 10; ++i) request.add_paths("/Small");
  request.mutable_times()->add_ranges("1:1000000");
  request.set_with_local(true);
  EXPECT_TRUE(TooLarge(client().ComputeTransforms(request)));
  EXPECT_TRUE(client().GetServerStatistics({}).ok()) << "the server still works";
}

TEST_F(RepliesTest, AnOversizedPrimIsAnErrorInATraversal) {
  StartSmall();
  v1::TraverseRequest request;
  *request.mutable_stage() = stage_;
  request.mutable_read_mask()->add_paths("properties.values");
  request.mutable_times()->add_ranges("1:3");
  std::vector<v1::Prim> prims;
  const absl::Status status = client().Traverse(request, [&](const v1::TraverseResponse& part) {
    prims.insert(prims.end(), part.prims().begin(), part.prims().end());
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(prims.size(), 3u);
  EXPECT_FALSE(prims[0].has_error());
  EXPECT_EQ(prims[1].path(), "/Big");
  EXPECT_TRUE(TooLarge(prims[1].error()));
  EXPECT_EQ(prims[1].properties_size(), 0);
  EXPECT_FALSE(prims[2].has_error());
  EXPECT_EQ(prims[2].path(), "/Last");
  EXPECT_GT(prims[2].properties_size(), 0);
}

TEST_F(RepliesTest, AnOversizedSpecIsAnError) {
  StartSmall();
  Write("spec.usda", Concat("def \"P\" (\n  doc = \"", std::string(2 * kBound, 'x'),
                            "\"\n) {}\ndef \"Q\" {}\n"));
  v1::ReadLayerRequest request;
  request.set_identifier("/spec.usda");
  std::vector<v1::Spec> specs;
  const absl::Status status = client().ReadLayer(request, [&](const v1::ReadLayerResponse& part) {
    specs.insert(specs.end(), part.specs().begin(), part.specs().end());
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(specs.size(), 2u);
  EXPECT_EQ(specs[0].path(), "/P");
  EXPECT_EQ(specs[0].type(), v1::Spec::TYPE_PRIM);
  EXPECT_TRUE(TooLarge(specs[0].error()));
  EXPECT_EQ(specs[1].path(), "/Q");
  EXPECT_FALSE(specs[1].has_error());
}

TEST_F(RepliesTest, AnOversizedHeaderFailsTheCall) {
  StartSmall();
  v1::ReadLayerRequest request;
  request.set_identifier("/root.usda");
  const absl::Status status =
      client().ReadLayer(request, [](const v1::ReadLayerResponse&) { return absl::OkStatus(); });
  EXPECT_EQ(ErrorReason(status), "REQUEST_TOO_LARGE") << status;
}

TEST_F(RepliesTest, StreamedValuesAreSplitOrReportedAsTooLarge) {
  StartSmall();
  v1::StreamValuesRequest request;
  *request.mutable_stage() = stage_;
  request.add_paths("/Big.numbers");
  request.add_paths("/Big.words");
  request.add_paths("/Small.x");
  request.mutable_times()->add_frames(1);
  std::vector<v1::StreamValuesResponse> items;
  const absl::Status status =
      client().StreamValues(request, [&](const v1::StreamValuesResponse& item) {
        items.push_back(item);
        return absl::OkStatus();
      });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(items.size(), 3u);
  EXPECT_FALSE(items[0].has_error());
  EXPECT_EQ(items[0].value().array_value().data().size(), 4000 * sizeof(double));
  EXPECT_TRUE(TooLarge(items[1].error()));
  EXPECT_EQ(items[1].item(), 1u);
  EXPECT_FALSE(items[1].has_value());
  EXPECT_EQ(items[2].value().double_value(), 1);
}

TEST_F(RepliesTest, OversizedItemsOfOtherStreamsAreErrors) {
  StartSmall();
  std::string children;
  for (int i = 0; i < 3000; ++i) children += Concat("def \"child_of_some_length_", i, "\" {}\n");
  Write("many.usda", Concat(R"(def "Many" ( prepend apiSchemas = ["CollectionAPI:all"] ) {
    rel collection:all:includes = </Many>
)",
                            children, "}\n"));
  v1::OpenStageRequest many;
  many.set_root_layer("/many.usda");
  v1::ListCollectionsRequest collections;
  *collections.mutable_stage() = Open(many);
  absl::Status status =
      client().ListCollections(collections, [&](const v1::ListCollectionsResponse& part) {
        EXPECT_EQ(part.collections(0).path(), "/Many.collection:all");
        EXPECT_TRUE(TooLarge(part.collections(0).error()));
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;

  v1::GetPrimvarsRequest primvars;
  *primvars.mutable_stage() = stage_;
  for (int i = 0; i < 8; ++i) primvars.add_names("wide");
  primvars.add_paths("/Small");
  primvars.add_paths("/Big");
  primvars.mutable_times()->add_frames(1);
  status = client().GetPrimvars(primvars, [&](const v1::GetPrimvarsResponse& part) {
    EXPECT_FALSE(part.items(0).has_error());
    EXPECT_TRUE(TooLarge(part.items(1).error()));
    EXPECT_EQ(part.items(1).item(), 1u);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(RepliesTest, AnOversizedBindingIsAnError) {
  StartSmall();
  std::string joints;
  for (int i = 0; i < 4000; ++i) joints += Concat("\"a_joint_of_some_length_", i, "\", ");
  Write("skel.usda", Concat(R"(def SkelRoot "R" ( prepend apiSchemas = ["SkelBindingAPI"] ) {
    rel skel:skeleton = </R/S>
    def Skeleton "S" {
        uniform token[] joints = [)",
                            joints, R"(]
    }
    def Mesh "M" ( prepend apiSchemas = ["SkelBindingAPI"] ) {
        int[] primvars:skel:jointIndices = [0] ( elementSize = 1; interpolation = "constant" )
        float[] primvars:skel:jointWeights = [1] ( elementSize = 1; interpolation = "constant" )
    }
}
)"));
  v1::OpenStageRequest open;
  open.set_root_layer("/skel.usda");
  v1::ListSkelBindingsRequest request;
  *request.mutable_stage() = Open(open);
  std::vector<v1::SkelBinding> bindings;
  const absl::Status status =
      client().ListSkelBindings(request, [&](const v1::ListSkelBindingsResponse& part) {
        bindings.insert(bindings.end(), part.bindings().begin(), part.bindings().end());
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  ASSERT_EQ(bindings.size(), 1u);
  EXPECT_TRUE(TooLarge(bindings[0].error())) << bindings[0].DebugString().substr(0, 300);
}

TEST_F(RepliesTest, StreamsReportBlockedItems) {
  Write("blocked.usda", R"(def "P" {
    double x.timeSamples = { 1: None, 3: 8 }
    double y = None
    double z
}
)");
  v1::OpenStageRequest open;
  open.set_root_layer("/blocked.usda");
  v1::StreamValuesRequest request;
  *request.mutable_stage() = Open(open);
  for (const char* path : {"/P.x", "/P.y", "/P.z"}) request.add_paths(path);
  request.mutable_times()->add_frames(1);
  request.mutable_times()->add_frames(3);
  std::vector<v1::ItemState> states;
  const absl::Status status =
      client().StreamValues(request, [&](const v1::StreamValuesResponse& part) {
        states.push_back(part.state());
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(states, (std::vector<v1::ItemState>{v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_VALUE,
                                                v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_BLOCKED,
                                                v1::ITEM_STATE_NONE, v1::ITEM_STATE_NONE}));
}

TEST_F(RepliesTest, RepliesCountTowardsTheBytesOfACall) {
  ServerOptions options;
  options.calls.max_bytes = 200000;
  Start(options);
  v1::BatchGetValuesRequest values;
  *values.mutable_stage() = Open();
  values.add_paths("/Big.words");
  values.mutable_times()->add_frames(1);
  const auto reply = client().BatchGetValues(values);
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorReason(reply.status()), "BUDGET_EXHAUSTED");
}

}  // namespace
}  // namespace stagedoor::server
