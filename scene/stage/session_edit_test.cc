#include "scene/stage/session_edit.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/asset.h"
#include "scene/export/flatten.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

constexpr std::string_view kRoot = R"((
  startTimeCode = 1
)
class "K" {
  int v = 1
}
def Xform "A" (inherits = </K>) {
  def "Child" {
    int x = 1
    def "Leaf" {
      int x = 1
    }
  }
}
def "R" (references = @./one.usda@</One>) {
}
def "I" (references = @./one.usda@</One>
         instanceable = true) {
}
def "J" (references = @./one.usda@</One>
         instanceable = true) {
}
def "C" (
  clips = {
    dictionary default = {
      asset[] assetPaths = [@./clip.usda@]
      string primPath = "/Clip"
      double2[] active = [(0, 0)]
      double2[] times = [(0, 0), (10, 10)]
      asset manifestAssetPath = @./clip.usda@
    }
  }
) {
  double clipped
  double plain = 1
  def "Below" {
    double clipped
  }
}
)";

class SessionEditTest : public testing::Test {
 protected:
  void SetUp() override {
    scene_.Write("root.usda", kRoot);
    scene_.Write("one.usda", "def \"One\" {\n  def \"In\" {\n    int x = 1\n  }\n}\n");
    scene_.Write("clip.usda",
                 "def \"Clip\" {\n  double clipped.timeSamples = {0: 5, 10: 6}\n"
                 "  def \"Below\" {\n    double clipped.timeSamples = {0: 7, 10: 8}\n  }\n}\n");
    stage_ = scene_.Open("root.usda");
    ASSERT_TRUE(stage_);
  }

  std::shared_ptr<const Layer> Open(std::string_view name) {
    auto layer = scene_.layers().Open(scene_.context(), {}, name, nullptr);
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }

  // A session layer with this text; null if it is empty.
  std::shared_ptr<const Layer> Session(std::string_view text) {
    if (text.empty()) return nullptr;
    Layer::Info info{.identifier = "/session.usda", .format = "usda", .anonymous = true};
    const auto asset =
        InMemoryAsset::FromString(info.identifier, AssetVersion("1"), Concat("#usda 1.0\n", text));
    auto layer = scene_.layers().formats().FindByName("usda")->open(scene_.context(), asset,
                                                                    std::move(info));
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }

  // Replaces the session layer of stage_, by none if the text is empty; checks that the stage
  // equals a newly opened one. Returns whether it shares the prims of the previous snapshot.
  bool Edit(std::string_view text) {
    const std::shared_ptr<const Layer> session = Session(text);
    sessions_.push_back(session);
    auto edited = Stage::EditSession(scene_.context(), stage_, session);
    auto fresh =
        Stage::Open(scene_.context(), scene_.environment(), {}, Open("/root.usda"), session);
    EXPECT_TRUE(edited.ok() && fresh.ok()) << edited.status();
    if (!edited.ok() || !fresh.ok()) return false;
    EXPECT_EQ(Describe(**edited), Describe(**fresh)) << text;
    const bool shared = (*edited)->data().population == stage_->data().population;
    stage_ = *edited;
    return shared;
  }

  // The flags and prim stacks of all prims, and the flattened stage.
  std::string Describe(const Stage& stage) {
    std::string text;
    for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
      text += Concat(prim.PathText(), " ", prim.data().flags);
      for (const PrimSpecHandle& site : prim.index().index->prim_stack()) {
        text +=
            Concat(" ", site.layer->identifier(), site.layer->tree().path(site.spec).ToString());
      }
      text += '\n';
    }
    const auto flat = FlattenStage(scene_.context(), stage, {.identifier = "flat"});
    EXPECT_TRUE(flat.ok()) << flat.status();
    return flat.ok() ? text + WriteUsda(**flat) : text;
  }

  size_t SessionsAlive() const {
    return static_cast<size_t>(std::count_if(sessions_.begin(), sessions_.end(),
                                             [](const auto& layer) { return !layer.expired(); }));
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  std::vector<std::weak_ptr<const Layer>> sessions_;
};

TEST_F(SessionEditTest, ValuesAndMetadataKeepThePrims) {
  for (const char* edit : {
           "over \"A\" {\n  over \"Child\" {\n    int x = 7\n  }\n}\n",
           "over \"A\" {\n  over \"Child\" {\n    int x = 8\n    int y = 9\n  }\n}\n",
           "over \"A\" {\n  over \"Child\" {\n    int x.timeSamples = {1: 3, 5: 4}\n  }\n}\n",
           "over \"A\" (hidden = true) {\n  double3 xformOp:translate = (1, 2, 3)\n}\n",
           "over \"A\" (\n  doc = \"new\"\n  customData = {\n    int n = 1\n  }\n) {\n}\n",
           "over \"R\" {\n  over \"In\" {\n    int x = 5\n  }\n}\n",
           "over \"I\" {\n  int own = 5\n  over \"In\" {\n    int x = 5\n  }\n}\n",
           "(\n  startTimeCode = 7\n)\n",
       }) {
    EXPECT_TRUE(Edit(edit)) << edit;
  }
  EXPECT_TRUE(Edit("")) << "all edits are taken back";
  EXPECT_EQ(stage_->start_time_code(), 1);
}

TEST_F(SessionEditTest, ClipsAndOpinionsBesideThemKeepTheirOrder) {
  EXPECT_TRUE(Edit("over \"C\" {\n  double plain = 2\n}\n"));
  EXPECT_TRUE(
      Edit("over \"C\" {\n  double plain = 2\n  over \"Below\" {\n    int x = 1\n  }\n}\n"));
  EXPECT_TRUE(Edit("over \"C\" {\n  double clipped.timeSamples = {0: 1}\n}\n"));
}

TEST_F(SessionEditTest, PrimsThatAreComposedAgainKeepTheClipsAboveThem) {
  scene_.Write("broken.usda", R"(
def "C" (
  clips = {
    dictionary default = {
      asset[] assetPaths = [@./clip.usda@]
      string primPath = "/Clip"
      double2[] active = [(0, 0)]
      asset manifestAssetPath = @./clip.usda@
    }
  }
) {
  def "Below" (references = @./gone.usda@</Gone>) {
    double clipped
  }
}
def "Other" {
}
)");
  const auto root = Open("/broken.usda");
  const auto session = Session("over \"Other\" (active = false) {\n}\n");
  const auto before = Stage::Open(scene_.context(), scene_.environment(), {}, root, nullptr);
  const auto fresh = Stage::Open(scene_.context(), scene_.environment(), {}, root, session);
  ASSERT_TRUE(before.ok() && fresh.ok());
  // A prim with errors is composed again, whatever the edit is.
  const auto edited = Stage::EditSession(scene_.context(), *before, session);
  ASSERT_TRUE(edited.ok()) << edited.status();
  for (const auto& stage : {*fresh, *edited}) {
    const Attribute clipped = stage->FindPrim(P("/C/Below")).GetAttribute(Token("clipped"));
    EXPECT_TRUE(clipped.Get(scene_.context(), TimeCode::At(0)) == Value(7.0));
  }
  EXPECT_EQ(Describe(**edited), Describe(**fresh));
}

TEST_F(SessionEditTest, WhatShapesPrimsRecomposesThem) {
  for (const char* edit : {
           "over \"A\" (active = false) {\n}\n",
           "over \"A\" (kind = \"component\") {\n}\n",
           "def Scope \"A\" {\n}\n",
           "over \"A\" (prepend apiSchemas = [\"CollectionAPI:a\"]) {\n}\n",
           "over \"A\" (references = @./one.usda@</One>) {\n}\n",
           "over \"A\" {\n  reorder nameChildren = [\"Child\"]\n}\n",
           "over \"A\" (variants = {\n  string v = \"a\"\n}) {\n}\n",
           "over \"A\" {\n  over \"New\" {\n  }\n}\n",
           "over \"New\" {\n}\n",
           "over \"K\" {\n  int v = 2\n}\n",
           "over \"A\" (variantSets = \"v\") {\n  variantSet \"v\" = {\n \"a\" {\n }\n }\n}\n",
           "(\n  timeCodesPerSecond = 48\n)\n",
           "(\n  subLayers = [@./one.usda@]\n)\n",
           "(\n  relocates = {\n    </A/Child>: </A/Moved>\n  }\n)\n",
       }) {
    EXPECT_FALSE(Edit(edit)) << edit;
    EXPECT_FALSE(Edit("")) << "after " << edit;
  }
}

TEST_F(SessionEditTest, ValueEditsAfterARecompositionKeepThePrims) {
  EXPECT_FALSE(Edit("over \"A\" (active = false) {\n}\n"));
  EXPECT_TRUE(Edit("over \"A\" (active = false) {\n}\nover \"R\" {\n  int x = 1\n}\n"));
  EXPECT_FALSE(Edit("over \"R\" {\n  int x = 1\n}\n")) << "A is active again";
  EXPECT_TRUE(Edit("over \"A\" {\n  over \"Child\" {\n    int x = 7\n  }\n}\n"));
}

TEST_F(SessionEditTest, RecompositionTakesOverEditedOpinions) {
  EXPECT_TRUE(Edit("over \"R\" {\n  over \"In\" {\n    int x = 5\n  }\n}\n"));
  EXPECT_FALSE(
      Edit("over \"A\" (active = false) {\n}\n"
           "over \"R\" {\n  over \"In\" {\n    int x = 5\n  }\n}\n"));
}

TEST_F(SessionEditTest, FilesAreNotCheckedForChanges) {
  scene_.Write("one.usda", "def \"One\" {\n  def \"In\" {\n    int x = 2\n  }\n}\n");
  for (const char* edit :
       {"over \"R\" {\n  int y = 5\n}\n", "over \"A\" (active = false) {\n}\n"}) {
    const auto edited = Stage::EditSession(scene_.context(), stage_, Session(edit));
    ASSERT_TRUE(edited.ok());
    const Attribute x = (*edited)->FindPrim("/R/In").GetAttribute(Token("x"));
    EXPECT_EQ(x.Get(scene_.context(), TimeCode::Default()), Value(1)) << edit;
  }
}

// The opinions of a prim keep the session layer alive with which they were composed.
TEST_F(SessionEditTest, OldSessionLayersAreLetGo) {
  scene_.Write("root.usda", [] {
    std::string many;
    for (int i = 0; i < 100; ++i) many += Concat("def \"P", i, "\" {\n}\n");
    return many;
  }());
  stage_ = scene_.Open("root.usda");
  std::string session;
  for (int i = 0; i < 100; ++i) {
    session += Concat("over \"P", i, "\" {\n  int x = 1\n}\n");
    ASSERT_TRUE(Edit(session));
    EXPECT_LE(SessionsAlive(), 65u);
  }
  EXPECT_GT(SessionsAlive(), 1u);
}

TEST_F(SessionEditTest, ManyEditedPrimsAreComposedIntoTheStage) {
  scene_.Write("root.usda", [] {
    std::string many;
    for (int i = 0; i < 5000; ++i) many += Concat("def \"P", i, "\" {\n}\n");
    return many;
  }());
  stage_ = scene_.Open("root.usda");
  std::string session;
  for (int i = 0; i < 4095; ++i) session += Concat("over \"P", i, "\" {\n  int x = 1\n}\n");
  EXPECT_TRUE(Edit(session));
  EXPECT_FALSE(Edit(session + "over \"P4999\" {\n  int x = 1\n}\n"));
  EXPECT_TRUE(stage_->data().replaced.empty());
}

TEST_F(SessionEditTest, FailsWhenTheRequestIsOver) {
  const auto session = Session("over \"A\" {\n  int x = 1\n}\n");
  RequestContext over;
  over.Cancel();
  EXPECT_EQ(Stage::EditSession(over, stage_, session).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor
