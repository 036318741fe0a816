#include "server/stages/stage_budget.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/memory/memory_resolver.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_format.h"
#include "server/error_info.h"
#include "server/stages/snapshot_history.h"

namespace stagedoor::server {
namespace {

TEST(StageBudgetTest, LayersCountBeyondTheLayerBudget) {
  const auto files = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(files->Put("/a.usda", "#usda 1.0\ndef \"P\" {\n  double x = 1\n}\n").ok());
  for (const size_t most : {size_t{1}, size_t{1} << 30}) {
    LayerRegistry::Options options;
    options.cache.max_bytes = most;
    LayerRegistry layers(files, {UsdaFormat()}, options);
    const StageBudget budget(layers, 100);
    EXPECT_EQ(budget.used(), 0u);
    RequestContext context;
    const auto held = layers.Open(context, "/a.usda", nullptr);
    ASSERT_TRUE(held.ok()) << held.status();
    const size_t bytes = layers.cached_bytes();
    ASSERT_GT(bytes, 101u);
    EXPECT_EQ(budget.used(), most == 1 ? bytes - 1 : 0);
    EXPECT_EQ(budget.over(), most == 1);
    EXPECT_EQ(budget.Check().ok(), most != 1);
  }
}

TEST(StageBudgetTest, ExceedingTheBudgetAdvisesARetry) {
  TestScene scene;
  StageBudget budget(scene.layers(), 100);
  MemoryCharge charge(budget.account());
  charge.Grow(100);
  EXPECT_FALSE(budget.over());
  EXPECT_TRUE(budget.Check().ok());
  charge.Grow(1);
  EXPECT_TRUE(budget.over());
  const absl::Status full = budget.Check();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(full), reason::kBudgetExhausted);
  EXPECT_EQ(RetryDelay(full), std::chrono::seconds(2));
  EXPECT_EQ(Message(full),
            "open stages hold 101 bytes of memory, above the limit of 100 (--stage-cache-bytes); "
            "close stages, or open less with a mask or load rules");
}

class SnapshotHistoryTest : public testing::Test {
 protected:
  SnapshotHistoryTest() {
    scene_.Write("root.usda", "def \"P\" {}\n");
    stage_ = scene_.Open("root.usda");
  }
  std::shared_ptr<const StageSnapshot> Snapshot(uint64_t number) {
    return std::make_shared<const StageSnapshot>(number, stage_, 0);
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  SnapshotHistory history_;
  const int a_ = 0, b_ = 0;  // owners
};

TEST_F(SnapshotHistoryTest, KeepsEightSnapshotsPerOwner) {
  for (uint64_t number = 1; number <= 9; ++number) history_.Add(&a_, Snapshot(number));
  history_.Add(&b_, Snapshot(3));
  EXPECT_EQ(history_.Find(&a_, 1), nullptr);
  EXPECT_NE(history_.Find(&a_, 2), nullptr);
  EXPECT_NE(history_.Find(&a_, 9), nullptr);
  EXPECT_NE(history_.Find(&b_, 3), nullptr);
  EXPECT_EQ(history_.Find(&b_, 4), nullptr);
  EXPECT_EQ(history_.size(), 9u);
}

TEST_F(SnapshotHistoryTest, ASnapshotAddedTwiceIsKeptOnce) {
  const auto first = Snapshot(1);
  for (int i = 0; i < 20; ++i) history_.Add(&a_, first);
  EXPECT_EQ(history_.size(), 1u);
  EXPECT_EQ(first.use_count(), 2);
  for (uint64_t number = 2; number <= 8; ++number) history_.Add(&a_, Snapshot(number));
  EXPECT_EQ(history_.Find(&a_, 1), first) << "one of eight";
}

TEST_F(SnapshotHistoryTest, DropsTheOldestUntilNoneIsLeft) {
  history_.Add(&b_, Snapshot(2));
  history_.Add(&a_, Snapshot(1));
  history_.Add(&a_, Snapshot(3));
  EXPECT_TRUE(history_.DropOldest());
  EXPECT_EQ(history_.Find(&a_, 1), nullptr);
  EXPECT_TRUE(history_.DropOldest());
  EXPECT_EQ(history_.Find(&b_, 2), nullptr);
  EXPECT_NE(history_.Find(&a_, 3), nullptr);
  EXPECT_TRUE(history_.DropOldest());
  EXPECT_FALSE(history_.DropOldest());
}

TEST_F(SnapshotHistoryTest, ForgettingAnOwnerKeepsTheOthers) {
  history_.Add(&a_, Snapshot(1));
  history_.Add(&b_, Snapshot(1));
  history_.Forget(&a_);
  history_.Forget(&a_);
  EXPECT_EQ(history_.Find(&a_, 1), nullptr);
  EXPECT_NE(history_.Find(&b_, 1), nullptr);
  EXPECT_EQ(history_.size(), 1u);
}

}  // namespace
}  // namespace stagedoor::server
