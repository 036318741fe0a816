#include "server/handlers/stages_handlers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/testing/payload_scene_test.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

using StagesHandlersTest = PayloadSceneTest;

TEST_F(StagesHandlersTest, GetStageTellsLayersMetadataAndErrors) {
  Write("root.usda", R"((
    customLayerData = { string by = "us" }
    subLayers = [@strong.usda@]
    timeCodesPerSecond = 48
)
def "P" ( references = @missing.usda@ ) {}
)");
  v1::GetStageRequest request;
  *request.mutable_stage() = Open();
  request.add_details(v1::STAGE_DETAIL_USED_LAYERS);
  request.add_details(v1::STAGE_DETAIL_METADATA);
  request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
  const auto reply = client().GetStage(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const v1::Stage& stage = reply->stage();
  EXPECT_EQ(stage.time_codes_per_second(), 48);
  EXPECT_EQ(Strings(stage.used_layers().begin(), stage.used_layers().end()),
            (Strings{"/root.usda", "/strong.usda"}));
  Strings names;
  for (const v1::Field& field : stage.metadata()) names.push_back(field.name());
  EXPECT_EQ(names, Strings{"customLayerData"}) << "rates have fields of their own";
  ASSERT_EQ(stage.composition_errors_size(), 1);
  EXPECT_EQ(stage.composition_errors(0).type(), "InvalidAssetPath");
  EXPECT_EQ(stage.composition_errors(0).prim_path(), "/P");
}

TEST_F(StagesHandlersTest, AMaskAndRulesLimitWhatIsPopulated) {
  v1::OpenStageRequest open;
  open.add_population_mask("/P/Q");
  EXPECT_EQ(Paths(Open(open)), (Strings{"/P", "/P/Q", "/P/Q/Leaf"}));
  v1::OpenStageRequest rules;
  v1::LoadRule* rule = rules.add_load_rules();
  rule->set_path("/P");
  rule->set_rule(v1::LoadRule::RULE_ONLY);
  EXPECT_EQ(Paths(Open(rules)), (Strings{"/P", "/P/Leaf", "/R"}));
}

TEST_F(StagesHandlersTest, EveryReplyTellsHowManyHandlesShareTheStage) {
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  const auto first = client().OpenStage(open);
  const auto second = client().OpenStage(open);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->stage().lease_count(), 1u);
  EXPECT_EQ(second->stage().lease_count(), 2u);

  v1::GetStageRequest get;
  get.mutable_stage()->set_handle(first->stage().handle());
  EXPECT_EQ(client().GetStage(get)->stage().lease_count(), 2u);
  v1::CloseStageRequest close;
  close.set_handle(second->stage().handle());
  ASSERT_TRUE(client().CloseStage(close).ok());
  EXPECT_EQ(client().GetStage(get)->stage().lease_count(), 1u);
}

TEST_F(StagesHandlersTest, ListsHoldersByNameAndStagesThatNobodyHolds) {
  Write("other.usda", "def \"O\" {}\n");
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  for (const char* name : {"farm/2", "farm/1", "farm/2"}) {
    open.set_client_name(name);
    ASSERT_TRUE(client().OpenStage(open).ok());
  }
  open.set_root_layer("/other.usda");
  const auto other = client().OpenStage(open);
  ASSERT_TRUE(other.ok());
  v1::CloseStageRequest close;
  close.set_handle(other->stage().handle());
  ASSERT_TRUE(client().CloseStage(close).ok());

  const auto list = client().ListStages({});
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->stages_size(), 2);
  EXPECT_EQ(list->stages(0).root_layer(), "/root.usda");
  EXPECT_EQ(list->stages(0).lease_count(), 3u);
  EXPECT_EQ(Strings(list->stages(0).client_names().begin(), list->stages(0).client_names().end()),
            (Strings{"farm/1", "farm/2"}));
  EXPECT_EQ(list->stages(1).root_layer(), "/other.usda");
  EXPECT_EQ(list->stages(1).lease_count(), 0u);
  EXPECT_EQ(list->stages(1).client_names_size(), 0);
}

TEST_F(StagesHandlersTest, NamesOfClientsAreShort) {
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.set_client_name(std::string(201, 'x'));
  const auto reply = client().OpenStage(open);
  EXPECT_EQ(ErrorReason(reply.status()), "INVALID_FIELD") << reply.status();
}

TEST_F(StagesHandlersTest, APageTokenIsOneThatWasGiven) {
  for (const std::string token : {"x", "1x", "-1", " 1", "99999999999999999999999"}) {
    v1::ListStagesRequest request;
    request.set_page_token(token);
    const absl::Status status = client().ListStages(request).status();
    EXPECT_EQ(ErrorReason(status), "INVALID_FIELD") << token << ": " << status;
  }
}

TEST_F(StagesHandlersTest, ListsStagesPageByPage) {
  ServerOptions options;
  options.limits.max_page_size = 2;
  Start(options);
  for (int i = 0; i < 5; ++i) {
    Write(Concat("s", i, ".usda"), "def \"P\" {}\n");
    v1::OpenStageRequest open;
    open.set_root_layer(Concat("/s", i, ".usda"));
    Open(open);
  }
  v1::ListStagesRequest request;
  Strings roots;
  std::vector<int> sizes;
  do {
    const auto page = client().ListStages(request);
    ASSERT_TRUE(page.ok()) << page.status();
    sizes.push_back(page->stages_size());
    for (const v1::Stage& stage : page->stages()) roots.push_back(stage.root_layer());
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(sizes, (std::vector<int>{2, 2, 1}));
  std::sort(roots.begin(), roots.end());
  EXPECT_EQ(roots, (Strings{"/s0.usda", "/s1.usda", "/s2.usda", "/s3.usda", "/s4.usda"}));
  request.set_page_size(1);
  EXPECT_EQ(client().ListStages(request)->stages_size(), 1);
  request.set_page_size(1000);
  EXPECT_EQ(client().ListStages(request)->stages_size(), 2) << "the server's most";
  request.set_page_size(-1);
  EXPECT_EQ(ErrorReason(client().ListStages(request).status()), "INVALID_FIELD");
}

}  // namespace
}  // namespace stagedoor
