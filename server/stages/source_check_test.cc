#include "server/stages/source_check.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"
#include "scene/values/array.h"
#include "scene/values/source_bytes.h"

namespace stagedoor::server {
namespace {

constexpr absl::StatusCode kDataLoss = absl::StatusCode::kDataLoss;

// A mapped file that may be overwritten.
struct Source {
  Source(SourceWatch* watch, std::string name)
      : bytes(MakeRef<SourceBytes>(
            std::move(name),
            [this] { return overwritten ? DataLossError("overwritten") : absl::OkStatus(); },
            nullptr, watch)) {}

  Value View() const {
    return Value(Array<double>::View(numbers, 3, RefPtr<const RefCounted>(bytes)));
  }

  bool overwritten = false;
  double numbers[3] = {1, 2, 3};
  RefPtr<const SourceBytes> bytes;
};

// Opens stages of one layer, which is treated as a mapped file.
class SourceCheckTest : public testing::Test {
 protected:
  std::shared_ptr<const Stage> Open(const std::string& text) {
    scene_.Write("root.usda", text);
    auto stage = scene_.Open("root.usda");
    const Layer::Info& info = stage->UsedLayers().front()->info();
    layer_name_ = SourceName(info.resolved_path, info.version);
    return stage;
  }

  SourceWatch watch_;
  TestScene scene_;
  std::string layer_name_;
};

TEST_F(SourceCheckTest, AnOverwrittenLayerOfTheStageIsDataLoss) {
  const auto stage = Open("def \"P\" {}\n");
  Source layer(&watch_, layer_name_);
  const SourceCheck check(&watch_);
  EXPECT_TRUE(check.Check(*stage).ok());
  EXPECT_TRUE(check.CheckLayers(*stage).ok());
  layer.overwritten = true;
  EXPECT_TRUE(check.CheckKnownChanges(*stage).ok()) << "the change has not been detected yet";
  EXPECT_EQ(check.CheckLayers(*stage).code(), kDataLoss);
  EXPECT_EQ(check.Check(*stage).code(), kDataLoss);
  EXPECT_EQ(check.CheckKnownChanges(*stage).code(), kDataLoss);
}

TEST_F(SourceCheckTest, LayersOfOtherStagesDoNotMatter) {
  const auto stage = Open("def \"P\" {}\n");
  Source before(&watch_, layer_name_ + "0"), other(&watch_, "other");
  const SourceCheck check(&watch_);
  before.overwritten = other.overwritten = true;
  EXPECT_FALSE(before.bytes->Check().ok());
  EXPECT_FALSE(other.bytes->Check().ok());
  EXPECT_TRUE(check.Check(*stage).ok());
  EXPECT_TRUE(check.CheckLayers(*stage).ok());
  EXPECT_TRUE(check.CheckKnownChanges(*stage).ok());
}

constexpr char kClips[] = R"(def "P" (
    clips = { dictionary default = {
        asset[] assetPaths = [@./clip.usda@]
        string primPath = "/C"
        double2[] active = [(0, 0)]
        double2[] times = [(0, 0)]
    } }
) {
    double x
}
)";
constexpr char kInstance[] = R"(def "P" (
    instanceable = true
    references = </Q>
) {
}
def "Q" {
    def "R" {
    }
}
)";

// Any file read since the check was created, by any request, may have been a clip of the stage.
TEST_F(SourceCheckTest, AnyFileThatWasReadMayBeAClip) {
  const struct {
    const char* what;
    const char* text;
    bool may_have_clips;
  } kCases[] = {{"plain", "def \"P\" {\n  def \"Q\" {\n  }\n}\n", false},
                {"clips", kClips, true},
                {"instance", kInstance, true}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    const auto stage = Open(c.text);
    SourceWatch watch;
    Source clip(&watch, "clip");
    clip.bytes->NoteUse();
    const SourceCheck later(&watch);
    const SourceCheck check = [&] {
      const SourceCheck began(&watch);
      clip.bytes->NoteUse();
      return began;
    }();
    const SourceCheck last(&watch);
    EXPECT_TRUE(check.Check(*stage).ok());
    EXPECT_TRUE(check.CheckUsed().ok());
    clip.overwritten = true;
    EXPECT_TRUE(check.CheckKnownChanges(*stage).ok()) << "the change has not been detected yet";
    EXPECT_TRUE(last.Check(*stage).ok()) << "has not read anything";
    const absl::StatusCode expected = c.may_have_clips ? kDataLoss : absl::StatusCode::kOk;
    EXPECT_EQ(check.Check(*stage).code(), expected);
    EXPECT_EQ(later.Check(*stage).code(), expected);
    EXPECT_EQ(check.CheckKnownChanges(*stage).code(), expected);
    EXPECT_EQ(check.CheckUsed().code(), kDataLoss);
    EXPECT_TRUE(check.CheckLayers(*stage).ok());
  }
}

TEST_F(SourceCheckTest, WithoutAWatchNothingIsChecked) {
  const auto stage = Open(kClips);
  Source layer(nullptr, layer_name_);
  layer.overwritten = true;
  EXPECT_FALSE(layer.bytes->Check().ok());
  const SourceCheck check;
  EXPECT_TRUE(check.Check(*stage).ok());
  EXPECT_TRUE(check.CheckLayers(*stage).ok());
  EXPECT_TRUE(check.CheckUsed().ok());
  EXPECT_TRUE(check.CheckKnownChanges(*stage).ok());
}

TEST_F(SourceCheckTest, ReadUntilStableRepeatsAfterAChange) {
  Source source(&watch_, "a");
  const SourceCheck check(&watch_);
  int reads = 0;
  const absl::Status settled = check.ReadUntilStable([&](SourceSet*) {
    ++reads;
    source.bytes->NoteUse();
    if (reads == 1) source.overwritten = true;
  });
  EXPECT_TRUE(settled.ok()) << settled;
  EXPECT_EQ(reads, 2) << "the change was known before the second";
}

TEST_F(SourceCheckTest, ReadUntilStableReadsUnchangedFilesOnce) {
  Source used(&watch_, "a"), unused(&watch_, "b");
  unused.overwritten = true;
  const SourceCheck check(&watch_);
  int reads = 0;
  EXPECT_TRUE(check
                  .ReadUntilStable([&](SourceSet* views) {
                    ++reads;
                    views->Add(used.View());
                    used.bytes->NoteUse();
                  })
                  .ok());
  EXPECT_EQ(reads, 1);
}

TEST_F(SourceCheckTest, ReadUntilStableGivesUpEventually) {
  const SourceCheck check(&watch_);
  std::vector<std::unique_ptr<Source>> sources;
  const absl::Status settled = check.ReadUntilStable([&](SourceSet*) {
    sources.push_back(std::make_unique<Source>(&watch_, "a"));
    sources.back()->overwritten = true;
    sources.back()->bytes->NoteUse();
  });
  EXPECT_EQ(settled.code(), kDataLoss);
  EXPECT_EQ(Message(settled),
            "the files of the stage are overwritten faster than they can be read; reload the stage "
            "once they are complete");
  EXPECT_EQ(sources.size(), 16u);
}

TEST_F(SourceCheckTest, ViewsOfChangedFilesNeverBecomeStable) {
  for (SourceWatch* watch : {&watch_, static_cast<SourceWatch*>(nullptr)}) {
    Source source(watch, "a");
    source.overwritten = true;
    const SourceCheck check(watch);
    int reads = 0;
    EXPECT_EQ(check
                  .ReadUntilStable([&](SourceSet* views) {
                    ++reads;
                    views->Add(source.View());
                  })
                  .code(),
              kDataLoss);
    EXPECT_EQ(reads, watch ? 16 : 1) << "without a watch further changes go unnoticed";
  }
}

}  // namespace
}  // namespace stagedoor::server
