// The methods of StagesService that change what a handle sees.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/test_server.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

class StagesTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("asset.usda", "( defaultPrim = \"A\" )\ndef \"A\" {\ndef \"Leaf\" {}\n}\n");
    Write("strong.usda", "over \"P\" { double x = 2; }\n");
    Write("root.usda", R"(( subLayers = [@strong.usda@] )
def "P" ( payload = @asset.usda@ )
{
    double x = 1
    def "Q" ( payload = @asset.usda@ ) {}
}
def "R" {}
)");
  }
};

TEST_F(StagesTest, LoadsAndUnloadsPrimsOfOneHandle) {
  v1::OpenStageRequest open;
  open.set_load_policy(v1::LOAD_POLICY_NONE);
  const v1::StageRef mine = Open(open), theirs = Open(open);
  v1::TraverseRequest all;
  *all.mutable_stage() = mine;
  all.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_ALL);
  EXPECT_EQ(Paths(all), (Strings{"/P", "/P/Q", "/R"}));

  v1::LoadPrimsRequest load;
  *load.mutable_stage() = mine;
  load.add_paths("/P");
  load.set_without_descendants(true);
  const auto one = client().LoadPrims(load);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(Paths(all), (Strings{"/P", "/P/Leaf", "/P/Q", "/R"}));

  load.set_without_descendants(false);
  const auto two = client().LoadPrims(load);
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_GT(two->snapshot(), one->snapshot());
  EXPECT_EQ(Paths(all), (Strings{"/P", "/P/Leaf", "/P/Q", "/P/Q/Leaf", "/R"}));

  v1::UnloadPrimsRequest unload;
  *unload.mutable_stage() = mine;
  unload.add_paths("/P/Q");
  ASSERT_TRUE(client().UnloadPrims(unload).ok());
  EXPECT_EQ(Paths(all), (Strings{"/P", "/P/Leaf", "/P/Q", "/R"}));

  *all.mutable_stage() = theirs;
  EXPECT_EQ(Paths(all), (Strings{"/P", "/P/Q", "/R"})) << "another handle is not disturbed";
}

TEST_F(StagesTest, AnOlderSnapshotCanStillBeAsked) {
  v1::StageRef stage = Open();
  v1::GetStageRequest get;
  *get.mutable_stage() = stage;
  const uint64_t before = client().GetStage(get)->stage().snapshot();
  v1::UnloadPrimsRequest unload;
  *unload.mutable_stage() = stage;
  unload.add_paths("/P");
  ASSERT_TRUE(client().UnloadPrims(unload).ok());
  EXPECT_EQ(Paths(stage), (Strings{"/R"}));
  stage.set_snapshot(before);
  EXPECT_EQ(Paths(stage), (Strings{"/P", "/P/Leaf", "/P/Q", "/P/Q/Leaf", "/R"}));
  stage.set_snapshot(before + 1000);
  v1::GetStageRequest gone;
  *gone.mutable_stage() = stage;
  const absl::Status status = client().GetStage(gone).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ErrorReason(status), "SNAPSHOT_GONE");
}

TEST_F(StagesTest, MutesAndUnmutesLayers) {
  const v1::StageRef stage = Open();
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{1})
      << "the root layer is stronger than its sublayer";
  Write("root.usda", "( subLayers = [@strong.usda@, @weak.usda@] )\n");
  Write("weak.usda", "def \"P\" { double x = 7; }\n");
  const v1::StageRef other = Open();
  EXPECT_EQ(Numbers(other, "/P.x", {0}), std::vector<double>{2});

  v1::MuteLayersRequest mute;
  *mute.mutable_stage() = other;
  mute.add_mute("/strong.usda");
  const auto muted = client().MuteLayers(mute);
  ASSERT_TRUE(muted.ok()) << muted.status();
  EXPECT_EQ(Numbers(other, "/P.x", {0}), std::vector<double>{7});

  mute.clear_mute();
  mute.add_unmute("/strong.usda");
  ASSERT_TRUE(client().MuteLayers(mute).ok());
  EXPECT_EQ(Numbers(other, "/P.x", {0}), std::vector<double>{2});
}

TEST_F(StagesTest, ReloadTellsWhichLayersHadChanged) {
  const v1::StageRef stage = Open();
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = stage;
  const auto nothing = client().ReloadStage(reload);
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_EQ(nothing->reloaded_layers_size(), 0);
  Write("asset.usda", "( defaultPrim = \"A\" )\ndef \"A\" {\ndef \"New\" {}\n}\n");
  const auto changed = client().ReloadStage(reload);
  ASSERT_TRUE(changed.ok()) << changed.status();
  ASSERT_EQ(changed->reloaded_layers_size(), 1);
  EXPECT_EQ(changed->reloaded_layers(0), "/asset.usda");
  EXPECT_EQ(Paths(stage), (Strings{"/P", "/P/New", "/P/Q", "/P/Q/New", "/R"}));
}

TEST_F(StagesTest, RefusesEditsItCannotMake) {
  const v1::StageRef stage = Open();
  v1::LoadPrimsRequest load;
  *load.mutable_stage() = stage;
  load.add_paths("not a path");
  EXPECT_EQ(ErrorReason(client().LoadPrims(load).status()), "INVALID_PATH");
  v1::SetSessionLayerRequest session;
  *session.mutable_stage() = stage;
  session.mutable_session_layer()->set_content("#usda 1.0\ndef {");
  const absl::Status broken = client().SetSessionLayer(session).status();
  EXPECT_EQ(broken.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(broken), "LAYER_SYNTAX");
  EXPECT_EQ(Paths(stage), (Strings{"/P", "/P/Leaf", "/P/Q", "/P/Q/Leaf", "/R"}))
      << "the stage is what it was";
}

TEST_F(StagesTest, GetStageTellsLayersMetadataAndErrors) {
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

TEST_F(StagesTest, AMaskAndRulesLimitWhatIsPopulated) {
  v1::OpenStageRequest open;
  open.add_population_mask("/P/Q");
  EXPECT_EQ(Paths(Open(open)), (Strings{"/P", "/P/Q", "/P/Q/Leaf"}));
  v1::OpenStageRequest rules;
  v1::LoadRule* rule = rules.add_load_rules();
  rule->set_path("/P");
  rule->set_rule(v1::LoadRule::RULE_ONLY);
  EXPECT_EQ(Paths(Open(rules)), (Strings{"/P", "/P/Leaf", "/R"}));
}

TEST_F(StagesTest, EveryReplyTellsHowManyHandlesShareTheStage) {
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

TEST_F(StagesTest, AnEditGivesAHandleAStageOfItsOwn) {
  const v1::StageRef mine = Open(), theirs = Open();
  v1::UnloadPrimsRequest unload;
  *unload.mutable_stage() = mine;
  unload.add_paths("/P");
  ASSERT_TRUE(client().UnloadPrims(unload).ok());
  for (const v1::StageRef& stage : {mine, theirs}) {
    v1::GetStageRequest get;
    *get.mutable_stage() = stage;
    EXPECT_EQ(client().GetStage(get)->stage().lease_count(), 1u);
  }
}

TEST_F(StagesTest, ListsHoldersByNameAndStagesThatNobodyHolds) {
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

TEST_F(StagesTest, NamesOfClientsAreShort) {
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.set_client_name(std::string(201, 'x'));
  const auto reply = client().OpenStage(open);
  EXPECT_EQ(ErrorReason(reply.status()), "INVALID_FIELD") << reply.status();
}

}  // namespace
}  // namespace stagedoor
