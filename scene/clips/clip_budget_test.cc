// The cost of a long sequence of clips: bytes, open files, opens, memory of the set itself.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "scene/clips/clip_environment.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr int kClips = 40;
constexpr int kNumbers = 400;  // length of each array sample
constexpr int kAttributes = 5;

// A template set of kClips clips, each with kAttributes arrays.
class ClipBudgetTest : public testing::Test {
 protected:
  ClipBudgetTest() {
    for (int clip = 1; clip <= kClips; ++clip) {
      std::string text = "def \"M\" {\n";
      for (int i = 0; i < kAttributes; ++i) text += ArrayText(clip, i);
      scene_.Write(Concat("c.", clip, ".usda"), text + "}\n");
    }
    std::string declared = "def \"M\" {\n";
    for (int i = 0; i < kAttributes; ++i) declared += Concat("  double[] a", i, "\n");
    scene_.Write("m.usda", declared + "}\n");
    const std::string root = Concat(R"(
def "M" (clips = { dictionary default = {
  asset manifestAssetPath = @./m.usda@
  string primPath = "/M"
  string templateAssetPath = "./c.#.usda"
  double templateStartTime = 1
  double templateEndTime = )",
                                    kClips, "\n  double templateStride = 1\n}})\n{\n",
                                    declared.substr(declared.find('\n') + 1), "}\n");
    scene_.Write("root.usda", root);
    // Another stage that uses the same clips.
    scene_.Write("other.usda", "def \"Other\" (references = @./root.usda@</M>) {}\n");
  }

  static std::string ArrayText(int clip, int attribute) {
    std::string numbers;
    for (int k = 0; k < kNumbers; ++k) {
      numbers += Concat(k ? ", " : "", 1000 * clip + 10 * attribute + k % 7);
    }
    return Concat("  double[] a", attribute, ".timeSamples = {", clip, ": [", numbers, "]}\n");
  }

  std::vector<Attribute> Attributes(const Stage& stage, const std::string& prim) {
    std::vector<Attribute> attributes;
    for (int i = 0; i < kAttributes; ++i) {
      attributes.push_back(Attribute(stage.FindProperty(P(Concat(prim, ".a", i)))));
      EXPECT_TRUE(attributes.back().valid());
    }
    return attributes;
  }

  // Reads every attribute at every frame, forwards and backwards, and checks the cache on the way.
  std::vector<Value> ReadAll(ClipEnvironment& clips, const std::vector<Attribute>& attributes) {
    std::vector<Value> values;
    for (int i = 0; i < 2 * kClips; ++i) {
      const double time = 1 + 0.5 * (i < kClips ? 2 * i : 2 * kClips - i);
      for (const Attribute& attribute : attributes) {
        values.push_back(attribute.Get(scene_.context(), TimeCode::At(time)));
        EXPECT_FALSE(values.back().empty()) << time;
      }
      const ClipCacheStats stats = clips.cache().Stats();
      most_bytes_ = std::max(most_bytes_, stats.bytes);
      most_layers_ = std::max(most_layers_, stats.layers);
    }
    return values;
  }

  TestScene scene_;
  uint64_t most_bytes_ = 0;
  uint64_t most_layers_ = 0;
};

TEST_F(ClipBudgetTest, PrefetchStopsBeforeItEvictsItsOwnClips) {
  PrefetchTally tally;
  const auto prefetch = [&](const Stage& stage) {
    for (const auto& source : *stage.FindPrim(P("/M")).clips()) {
      source->Prefetch(scene_.context(), 1, kClips, &tally);
    }
  };
  prefetch(*scene_.Open("root.usda"));
  EXPECT_EQ(tally.opened, kClips);
  EXPECT_EQ(tally.skipped, 0u);
  const uint64_t each = tally.bytes / kClips;
  EXPECT_EQ(tally.bytes, scene_.clips().cache().Stats().bytes);

  ClipEnvironment::Options options;
  options.cache.max_bytes = each * 10 + each / 2;
  ClipEnvironment& small = scene_.UseClips(options);
  tally = {};
  prefetch(*scene_.Open("root.usda"));
  EXPECT_EQ(tally.opened, 10u);
  EXPECT_EQ(tally.skipped, kClips - 10u);
  EXPECT_EQ(small.cache().Stats().evictions, 0u);
}

TEST_F(ClipBudgetTest, TheBudgetDoesNotChangeAnswers) {
  const auto stage = scene_.Open("root.usda");
  const std::vector<Value> expected = ReadAll(scene_.clips(), Attributes(*stage, "/M"));
  const uint64_t all_bytes = scene_.clips().cache().Stats().bytes;
  ASSERT_EQ(scene_.clips().cache().Stats().layers, kClips);

  ClipEnvironment::Options options;
  options.cache.max_bytes = all_bytes / 6;
  options.cache.max_layers = 6;
  ClipEnvironment& small = scene_.UseClips(options);
  most_bytes_ = most_layers_ = 0;
  {
    const auto again = scene_.Open("root.usda");
    EXPECT_EQ(ReadAll(small, Attributes(*again, "/M")), expected);
  }
  EXPECT_LE(most_bytes_, options.cache.max_bytes + options.cache.max_bytes / 10);
  EXPECT_LE(most_layers_, 6u);
  EXPECT_GT(small.cache().Stats().evictions, static_cast<uint64_t>(kClips));
}

TEST_F(ClipBudgetTest, TwoStagesOpenEachLayerOnce) {
  const auto stage = scene_.Open("root.usda");
  const auto other = scene_.Open("other.usda");
  const std::vector<Value> values = ReadAll(scene_.clips(), Attributes(*stage, "/M"));
  EXPECT_EQ(ReadAll(scene_.clips(), Attributes(*other, "/Other")), values);
  EXPECT_EQ(scene_.clips().cache().Stats().opens, static_cast<uint64_t>(kClips));
}

// The bytes that a set with `count` clips, and as many entries of `times`, takes.
size_t SetBytes(int count) {
  std::string assets, active, times;
  for (int i = 0; i < count; ++i) {
    const char* comma = i ? "," : "";
    assets += Concat(comma, "@./clip.", 100000 + i, ".usda@");
    active += Concat(comma, "(", i, ",", i, ")");
    times += Concat(comma, "(", i, ",", i, ")");
  }
  TestScene scene;
  scene.Write("m.usda", "def \"M\" {\n  double b\n}\n");
  scene.Write("clip.100007.usda", "def \"M\" {\n  double b.timeSamples = {7: 7}\n}\n");
  scene.Write("root.usda", Concat(R"(
def "M" (clips = { dictionary default = {
  asset manifestAssetPath = @./m.usda@
  string primPath = "/M"
  asset[] assetPaths = [)",
                                  assets, "]\ndouble2[] active = [", active,
                                  "]\ndouble2[] times = [", times, "]\n}})\n{\n  double b\n}\n"));
  const auto stage = scene.Open("root.usda");
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  const Attribute b(stage->FindProperty(P("/M.b")));
  EXPECT_EQ(b.Get(scene.context(), TimeCode::At(7)), Value(7.0));
  return mallinfo2().uordblks + mallinfo2().hblkhd - before;
}

TEST(ClipSetMemoryTest, GrowsLinearlyWithItsClips) {
  SetBytes(5000);  // creates what is created only once
  const size_t some = SetBytes(5000), many = SetBytes(15000);
  RecordProperty("bytes_15000", static_cast<int>(many));
  std::printf("clip set: %zu bytes with 5,000 clips, %zu with 15,000\n", some, many);
  EXPECT_LT(many, 4 * some);
  EXPECT_LT(many, size_t{15000} * 1000);
}

}  // namespace
}  // namespace stagedoor
