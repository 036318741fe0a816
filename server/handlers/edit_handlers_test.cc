#include "server/handlers/edit_handlers.h"

// Tests of the RPCs that edit the stage of a handle.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/payload_scene_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

using EditHandlersTest = PayloadSceneTest;

TEST_F(EditHandlersTest, LoadsAndUnloadsPrimsOfOneHandle) {
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
  EXPECT_NE(two->snapshot(), one->snapshot());
  EXPECT_EQ(Paths(all), (Strings{"/P", "/P/Leaf", "/P/Q", "/P/Q/Leaf", "/R"}));

  v1::UnloadPrimsRequest unload;
  *unload.mutable_stage() = mine;
  unload.add_paths("/P/Q");
  ASSERT_TRUE(client().UnloadPrims(unload).ok());
  EXPECT_EQ(Paths(all), (Strings{"/P", "/P/Leaf", "/P/Q", "/R"}));

  *all.mutable_stage() = theirs;
  EXPECT_EQ(Paths(all), (Strings{"/P", "/P/Q", "/R"})) << "another handle is not affected";
}

TEST_F(EditHandlersTest, OlderSnapshotsCanStillBeRead) {
  v1::StageRef stage = Open();
  v1::GetStageRequest get;
  *get.mutable_stage() = stage;
  const std::string before = client().GetStage(get)->stage().snapshot();
  v1::UnloadPrimsRequest unload;
  *unload.mutable_stage() = stage;
  unload.add_paths("/P");
  ASSERT_TRUE(client().UnloadPrims(unload).ok());
  EXPECT_EQ(Paths(stage), (Strings{"/R"}));
  stage.set_snapshot(before);
  EXPECT_EQ(Paths(stage), (Strings{"/P", "/P/Leaf", "/P/Q", "/P/Q/Leaf", "/R"}));
  stage.set_snapshot(before + "0");
  v1::GetStageRequest gone;
  *gone.mutable_stage() = stage;
  const absl::Status status = client().GetStage(gone).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ErrorReason(status), "SNAPSHOT_GONE");
}

TEST_F(EditHandlersTest, MutesAndUnmutesLayers) {
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

TEST_F(EditHandlersTest, ReloadListsChangedLayers) {
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

TEST_F(EditHandlersTest, RejectsInvalidEdits) {
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
      << "the stage is unchanged";
}

TEST_F(EditHandlersTest, AnEditGivesAHandleAStageOfItsOwn) {
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

TEST_F(EditHandlersTest, EveryPathIsLoadedOrUnloaded) {
  const v1::StageRef stage = Open();
  v1::UnloadPrimsRequest unload;
  *unload.mutable_stage() = stage;
  unload.add_paths("/P/Q");
  unload.add_paths("/P");
  const auto without = client().UnloadPrims(unload);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(Paths(stage), Strings{"/R"});
  v1::GetStageRequest get;
  *get.mutable_stage() = stage;
  EXPECT_EQ(client().GetStage(get)->stage().snapshot(), without->snapshot());
  v1::LoadPrimsRequest load;
  *load.mutable_stage() = stage;
  load.set_without_descendants(true);
  load.add_paths("/P");
  load.add_paths("/P/Q");
  const auto with = client().LoadPrims(load);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(Paths(stage), (Strings{"/P", "/P/Leaf", "/P/Q", "/P/Q/Leaf", "/R"}));
  EXPECT_EQ(client().GetStage(get)->stage().snapshot(), with->snapshot());
  unload.add_paths("no path");
  EXPECT_EQ(ErrorReason(client().UnloadPrims(unload).status()), "INVALID_PATH");
  unload.clear_paths();
  unload.mutable_stage()->set_handle("nobody's");
  EXPECT_EQ(ErrorReason(client().UnloadPrims(unload).status()), "STAGE_NOT_FOUND");
}

TEST_F(EditHandlersTest, ASessionLayerCanBeReplacedAndRemoved) {
  const v1::StageRef stage = Open();
  v1::SetSessionLayerRequest request;
  *request.mutable_stage() = stage;
  request.mutable_session_layer()->set_content("#usda 1.0\ndef \"Mine\" {}\n");
  const auto set = client().SetSessionLayer(request);
  ASSERT_TRUE(set.ok()) << set.status();
  v1::GetStageRequest get;
  *get.mutable_stage() = stage;
  EXPECT_EQ(client().GetStage(get)->stage().snapshot(), set->snapshot());
  EXPECT_EQ(Paths(stage).back(), "/Mine");
  Write("session.usda", "def \"File\" {}\n");
  request.mutable_session_layer()->set_identifier("/session.usda");
  ASSERT_TRUE(client().SetSessionLayer(request).ok());
  EXPECT_EQ(Paths(stage).back(), "/File");
  request.clear_session_layer();
  ASSERT_TRUE(client().SetSessionLayer(request).ok());
  EXPECT_EQ(Paths(stage).back(), "/R");
}

TEST_F(EditHandlersTest, AReloadOfUnchangedLayersKeepsTheSnapshot) {
  const v1::StageRef stage = Open();
  v1::GetStageRequest get;
  *get.mutable_stage() = stage;
  const std::string before = client().GetStage(get)->stage().snapshot();
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = stage;
  EXPECT_EQ(client().ReloadStage(reload)->snapshot(), before);
  Write("strong.usda", "over \"P\" { double x = 3; }\n");
  const auto changed = client().ReloadStage(reload);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_NE(changed->snapshot(), before);
  EXPECT_EQ(client().GetStage(get)->stage().snapshot(), changed->snapshot());
}

TEST_F(EditHandlersTest, ReloadListsChangedClips) {
  WriteClips(2);
  const v1::StageRef stage = Open();
  EXPECT_EQ(Numbers(stage, "/P.x", {1, 2}), (std::vector<double>{10, 20}));
  Write("clip.2.usda", "def \"C\" { double x.timeSamples = { 2: 25 }; }\n");
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = stage;
  const auto changed = client().ReloadStage(reload);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(Strings(changed->reloaded_layers().begin(), changed->reloaded_layers().end()),
            Strings{"/clip.2.usda"});
  EXPECT_EQ(Numbers(stage, "/P.x", {1, 2}), (std::vector<double>{10, 25}));
}

TEST_F(EditHandlersTest, MutedLayersAccumulateOverCalls) {
  Write("root.usda", "( subLayers = [@a.usda@, @b.usda@, @c.usda@] )\n");
  Write("a.usda", "def \"P\" { double x = 1; }\n");
  Write("b.usda", "def \"P\" { double x = 2; }\n");
  Write("c.usda", "def \"P\" { double x = 3; }\n");
  const v1::StageRef stage = Open();
  const auto change = [&](const Strings& mute, const Strings& unmute) {
    v1::MuteLayersRequest request;
    *request.mutable_stage() = stage;
    for (const std::string& layer : mute) request.add_mute(layer);
    for (const std::string& layer : unmute) request.add_unmute(layer);
    const auto reply = client().MuteLayers(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    v1::GetStageRequest get;
    *get.mutable_stage() = stage;
    EXPECT_EQ(client().GetStage(get)->stage().snapshot(), reply->snapshot());
    return Numbers(stage, "/P.x", {0})[0];
  };
  EXPECT_EQ(change({"/b.usda", "/a.usda", "/a.usda"}, {}), 3);
  EXPECT_EQ(change({}, {"/b.usda"}), 2) << "layer a stays muted";
  EXPECT_EQ(change({}, {"/a.usda"}), 1) << "unmuted, however often it was muted";
  EXPECT_EQ(change({"/a.usda"}, {"/a.usda"}), 2) << "unmuting comes first";
}

TEST_F(EditHandlersTest, IdentifiersOfMutedLayersMustBeWellFormed) {
  v1::MuteLayersRequest mute;
  *mute.mutable_stage() = Open();
  v1::MuteLayersRequest unmute = mute;
  mute.add_mute("");
  unmute.add_unmute("");
  EXPECT_EQ(ErrorReason(client().MuteLayers(mute).status()), "INVALID_FIELD");
  EXPECT_EQ(ErrorReason(client().MuteLayers(unmute).status()), "INVALID_FIELD");
}

}  // namespace
}  // namespace stagedoor::server
