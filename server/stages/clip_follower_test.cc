#include "server/stages/clip_follower.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "scene/testing/test_scene.h"

namespace stagedoor::server {
namespace {

class WatchList final : public ChangeSource {
 public:
  void Start(Callback) override {}
  std::vector<WatchedAsset> Watch(std::span<const WatchedAsset> assets) override {
    for (const WatchedAsset& asset : assets) versions[asset.path] = asset.version;
    return {};
  }
  void Unwatch(std::span<const std::string> paths) override {
    for (const std::string& path : paths) versions.erase(path);
  }
  Stats GetStats() const override { return {}; }

  std::map<std::string, std::string> versions;  // by path
};

class ClipFollowerTest : public ::testing::Test {
 protected:
  ClipFollowerTest() {
    scene_.Write("manifest.usda", "def \"C\" { double x; }\n");
    for (const int i : {1, 2}) PutClip(i, i * 10);
    scene_.Write("root.usda", R"(def "P" (
    clips = { dictionary default = {
        string templateAssetPath = "./clip.#.usda"
        double templateStartTime = 1
        double templateEndTime = 2
        double templateStride = 1
        asset manifestAssetPath = @./manifest.usda@
        string primPath = "/C"
    } }
)
{
    double x
}
)");
    stage_ = scene_.Open("root.usda");
  }
  void PutClip(int i, int x) {
    scene_.Write(Concat("clip.", i, ".usda"),
                 Concat("def \"C\" { double x.timeSamples = { ", i, ": ", x, " }; }\n"));
  }
  double X(double time) {
    const Attribute attribute(stage_->FindProperty(P("/P.x")));
    const Value value = attribute.Get(context_, TimeCode::At(time));
    const double* x = value.Get<double>();
    return x == nullptr ? -1 : *x;
  }
  std::vector<std::string> Watched() const {
    std::vector<std::string> paths;
    for (const auto& [path, version] : source_.versions) paths.push_back(path);
    return paths;
  }

  using Paths = std::vector<std::string>;
  TestScene scene_;
  RequestContext context_;
  std::shared_ptr<const Stage> stage_;
  WatchList source_;
  ClipFollower follower_{&scene_.clips().cache(), source_};
};

TEST_F(ClipFollowerTest, WatchesTheClipsThatAreOpenAndDropsThoseThatChange) {
  EXPECT_EQ(X(1), 10);
  follower_.Update(context_, true);
  EXPECT_EQ(Watched(), Paths({"/clip.1.usda"}));
  EXPECT_EQ(X(2), 20);
  follower_.Update(context_, true);
  EXPECT_EQ(Watched(), Paths({"/clip.1.usda", "/clip.2.usda"}));
  PutClip(1, 11);
  PutClip(2, 22);
  EXPECT_EQ(X(1), 10) << "not reported yet";
  EXPECT_EQ(follower_.NoteChanges({.all = false, .paths = {"/clip.1.usda", "/other"}}), 1u);
  follower_.Update(context_, true);
  EXPECT_EQ(X(1), 11);
  EXPECT_EQ(X(2), 20) << "only what is reported is looked at";
  EXPECT_EQ(follower_.NoteChanges({.all = true, .paths = {}}), 2u);
  follower_.Update(context_, true);
  EXPECT_EQ(X(2), 22);
  follower_.Update(context_, false);
  EXPECT_EQ(Watched(), Paths()) << "no session follows any more";
}

TEST_F(ClipFollowerTest, AChangeBeforeAClipIsWatchedIsFound) {
  EXPECT_EQ(X(1), 10);
  PutClip(1, 11);
  follower_.Update(context_, true);
  EXPECT_EQ(X(1), 11);
}

TEST_F(ClipFollowerTest, WithoutClipsThereIsNothingToDo) {
  ClipFollower none(nullptr, source_);
  none.Update(context_, true);
  EXPECT_EQ(none.NoteChanges({.all = true, .paths = {}}), 0u);
}

}  // namespace
}  // namespace stagedoor::server
