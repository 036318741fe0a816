// Asset paths in clip values: expressions are evaluated, and paths are relative to the layer that
// provides the value.
#include <string>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/export/flatten.h"
#include "scene/layer/field_keys.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/values/asset_path.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

class ClipAssetsTest : public testing::Test {
 protected:
  // Clips in two folders, a manifest in a third, the clip set in a fourth; /R reaches the set
  // through `arc`.
  void WriteScene(const std::string& arc) {
    scene_.Write("a/clip.usda", R"(
def "P" {
  asset one.timeSamples = { 1: @./1.png@, 3: @./3.png@ }
  asset[] many.timeSamples = { 1: [@./1.png@, @./2.png@], 3: [] }
  asset named.timeSamples = { 1: @`"./${V}.png"`@ }
  asset first.timeSamples = { 1: @./1.png@ }
}
)");
    scene_.Write("b/clip.usda", R"(
def "P" {
  asset one.timeSamples = { 5: @./5.png@ }
  asset[] many.timeSamples = { 5: [@./5.png@] }
  asset named.timeSamples = { 5: @`"./${V}.png"`@ }
}
)");
    scene_.Write("m/manifest.usda", R"(
over "P" {
  asset one
  asset[] many
  asset named
  asset first
  asset none = @./none.png@
}
)");
    scene_.Write("set/set.usda", R"((expressionVariables = { string V = "mine" })
def "S" (clips = { dictionary default = {
  asset[] assetPaths = [@../a/clip.usda@, @../b/clip.usda@]
  double2[] active = [(0, 0), (5, 1)]
  double2[] times = [(0, 0), (10, 10)]
  string primPath = "/P"
  asset manifestAssetPath = @../m/manifest.usda@
  bool interpolateMissingClipValues = true
} }) {
  asset one
  asset[] many
  asset named
  asset first
  asset none
}
)");
    scene_.Write("root.usda",
                 Concat("def \"R\" (references = @./set/set.usda@</S>", arc, ") {\n}\n"));
    for (const char* folder : {"a", "b", "m", "set"}) {
      for (const char* file : {"1", "2", "3", "5", "mine", "none"}) {
        scene_.Write(Concat(folder, "/", file, ".png"), "");
      }
    }
    stage_ = scene_.Open("root.usda");
    ASSERT_TRUE(stage_);
  }

  Value Get(std::string_view name, TimeCode time) {
    const Property property = stage_->FindProperty(P(Concat("/R.", name)));
    EXPECT_TRUE(property.valid()) << name;
    return property.valid() ? Attribute(property).Get(scene_.context(), time) : Value();
  }
  std::string Resolved(std::string_view name, TimeCode time) {
    const Value value = Get(name, time);
    if (const auto* path = value.Get<AssetPath>()) return path->resolved;
    std::string text;
    if (const auto* paths = value.Get<Array<AssetPath>>()) {
      for (const AssetPath& path : *paths) text += path.resolved + " ";
    }
    return text;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(ClipAssetsTest, PathsAreRelativeToTheActiveClip) {
  WriteScene("");
  EXPECT_EQ(Resolved("one", TimeCode::At(0)), "/a/1.png");
  EXPECT_EQ(Resolved("one", TimeCode::At(2.5)), "/a/1.png");
  EXPECT_EQ(Resolved("one", TimeCode::At(4)), "/a/3.png");
  EXPECT_EQ(Resolved("one", TimeCode::At(5)), "/b/5.png");
  EXPECT_EQ(Resolved("one", TimeCode::PreTime(5)), "/a/3.png");
  EXPECT_EQ(Resolved("many", TimeCode::At(2)), "/a/1.png /a/2.png ");
  EXPECT_EQ(Resolved("many", TimeCode::At(4)), "");
  EXPECT_EQ(Resolved("many", TimeCode::At(9)), "/b/5.png ");
}

TEST_F(ClipAssetsTest, ArcOffsetsApplyOnce) {
  WriteScene(" (offset = 10; scale = 2)");
  EXPECT_EQ(Resolved("one", TimeCode::At(12)), "/a/1.png");
  EXPECT_EQ(Resolved("one", TimeCode::At(19)), "/a/3.png");
  EXPECT_EQ(Resolved("one", TimeCode::At(20)), "/b/5.png");
}

TEST_F(ClipAssetsTest, VariablesComeFromTheLayerStackOfTheSet) {
  WriteScene("");
  const Value value = Get("named", TimeCode::At(1));
  ASSERT_TRUE(value.Is<AssetPath>());
  EXPECT_EQ(value.Get<AssetPath>()->evaluated, "./mine.png");
  EXPECT_EQ(value.Get<AssetPath>()->resolved, "/a/mine.png");
  EXPECT_EQ(Resolved("named", TimeCode::At(6)), "/b/mine.png");
}

TEST_F(ClipAssetsTest, PathsInMissingValuesAreRelativeToTheirOrigin) {
  WriteScene("");
  EXPECT_EQ(Resolved("none", TimeCode::At(1)), "/m/none.png");
  // The value is held from the first clip while the second is active.
  EXPECT_EQ(Resolved("first", TimeCode::At(8)), "/a/1.png");
}

TEST_F(ClipAssetsTest, FlatteningAnchorsPathsTheSameWay) {
  WriteScene(" (offset = 10)");
  const auto flat = FlattenStage(scene_.context(), *stage_, {});
  ASSERT_TRUE(flat.ok());
  const auto first_of = [&](const char* path) {
    const Value samples = (*flat)->Get((*flat)->tree().Find(P(path)), Fields().timeSamples);
    const Value value = samples.samples() ? samples.samples()->At(0) : Value();
    return value.Is<AssetPath>() ? value.Get<AssetPath>()->authored : std::string();
  };
  EXPECT_EQ(first_of("/R.one"), "/a/1.png");
  EXPECT_EQ(first_of("/R.named"), "/a/mine.png");
  EXPECT_EQ(first_of("/R.none"), "/m/none.png");
}

}  // namespace
}  // namespace stagedoor
