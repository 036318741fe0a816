#include "scene/stage/attribute_source_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class AttributeSourceTableTest : public testing::Test {
 protected:
  Attribute Find(std::string_view path) {
    const Property property = stage_->FindProperty(P(path));
    EXPECT_TRUE(property.valid()) << path;
    return Attribute(property);
  }
  Value At(const Attribute& attribute, double time) {
    return attribute.Get(scene_.context(), TimeCode::At(time));
  }
  void Open(std::string_view text) {
    scene_.Write("root.usda", text);
    stage_ = scene_.Open("root.usda");
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(AttributeSourceTableTest, KeepsSourcesFromTheSecondQueryOn) {
  Open("def \"P\" {\n  double x.timeSamples = {1: 10, 2: 20}\n  double y = 3\n}\n");
  const Attribute x = Find("/P.x"), y = Find("/P.y");
  EXPECT_EQ(At(x, 1.5), Value(15.0));
  EXPECT_EQ(stage_->data().sources->size(), 0u);
  EXPECT_EQ(At(x, 1.25), Value(12.5));
  EXPECT_EQ(stage_->data().sources->size(), 1u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(At(x, 2), Value(20.0));
    EXPECT_EQ(At(y, 2), Value(3.0));
    EXPECT_EQ(y.Get(scene_.context(), TimeCode::Default()), Value(3.0));
    EXPECT_TRUE(x.Get(scene_.context(), TimeCode::Default()).empty());
  }
  EXPECT_EQ(stage_->data().sources->size(), 2u);
  EXPECT_NE(x.KeptSource(), nullptr);
  EXPECT_EQ(x.SampleCount(scene_.context()), 2u);
  EXPECT_EQ(x.SampleTimes(scene_.context()).size(), 2u);
  EXPECT_EQ(x.SourceKind(scene_.context()), ResolveInfoSource::kTimeSamples);
  EXPECT_EQ(x.Bracketing(scene_.context(), 1.5), std::pair(1.0, 2.0));
}

TEST_F(AttributeSourceTableTest, DoesNotKeepArraysInMemory) {
  Open("def \"P\" {\n  double[] x = [1, 2]\n  double[] y.timeSamples = {1: [1, 2]}\n}\n");
  const Attribute x = Find("/P.x"), y = Find("/P.y");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(At(x, 1), At(y, 1));
  EXPECT_EQ(stage_->data().sources->size(), 1u) << "samples are decoded when they are evaluated";
}

TEST_F(AttributeSourceTableTest, RetriesManifestsThatCouldNotBeRead) {
  scene_.Write("c.usda", "def \"M\" {\n  double b.timeSamples = {1: 10}\n}\n");
  Open(R"(
def "M" (clips = { dictionary default = {
  asset[] assetPaths = [@./c.usda@]
  asset manifestAssetPath = @./m.usda@
  double2[] active = [(0, 0)]
  string primPath = "/M"
}})
{
  double b
}
)");
  const Attribute b = Find("/M.b");
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(At(b, 1).empty());
  EXPECT_EQ(stage_->data().sources->size(), 0u);
}

TEST_F(AttributeSourceTableTest, AnswersAreTheSameForManyAttributesAndThreads) {
  constexpr int kPrims = 400;
  std::string text;
  for (int i = 0; i < kPrims; ++i) {
    text += Concat("def \"P", i, "\" {\n  double x.timeSamples = {0: ", i, ", 8: ", i + 8,
                   "}\n  double y = ", i, "\n}\n");
  }
  Open(text);
  std::vector<Attribute> xs, ys;
  for (int i = 0; i < kPrims; ++i) {
    xs.push_back(Find(Concat("/P", i, ".x")));
    ys.push_back(Find(Concat("/P", i, ".y")));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      RequestContext context;
      for (int time = 0; time < 6; ++time) {
        for (int i = 0; i < kPrims; ++i) {
          wrong += !(xs[i].Get(context, TimeCode::At(time)) == Value(double(i + time)));
          wrong += !(ys[i].Get(context, TimeCode::At(time)) == Value(double(i)));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(stage_->data().sources->size(), size_t{kPrims});
  // Concurrent queries may store the same source twice, rarely.
  EXPECT_LE(stage_->data().sources->size(), size_t{3 * kPrims});
}

TEST_F(AttributeSourceTableTest, IsBounded) {
  Open("def \"P\" {\n  double x = 1\n}\n");
  const Attribute x = Find("/P.x");
  MemoryPool pool("test");
  Reservation charge(&pool);
  const AttributeSourceTable table(1, charge);
  for (int i = 0; i < 10000; ++i) {
    const Token name(Concat("x", i % 300));
    AttributeSource source = x.Compile(scene_.context());
    if (table.Find(x.prim().data(), name) != nullptr || !table.Mark(x.prim().data(), name))
      continue;
    const AttributeSource* kept = table.Keep(x.prim().data(), name, source);
    EXPECT_EQ(
        (kept ? *kept : source).ValueAt(scene_.context(), TimeCode::At(1), Interpolation::kHeld),
        Value(1.0));
  }
  EXPECT_GT(table.size(), 30u);
  EXPECT_LE(table.size(), 65u);
}

}  // namespace
}  // namespace stagedoor
