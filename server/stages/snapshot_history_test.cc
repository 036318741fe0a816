#include "server/stages/snapshot_history.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor::server {
namespace {

class SnapshotHistoryTest : public testing::Test {
 protected:
  SnapshotHistoryTest() {
    scene_.Write("root.usda", "def \"P\" {}\n");
    stage_ = scene_.Open("root.usda");
  }
  std::shared_ptr<const StageSnapshot> Snapshot(uint64_t number) {
    return std::make_shared<const StageSnapshot>(number, Concat("f", number), stage_, 0);
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  SnapshotHistory history_;
  const int a_ = 0, b_ = 0;  // owners
};

TEST_F(SnapshotHistoryTest, KeepsEightSnapshotsPerOwner) {
  for (uint64_t number = 1; number <= 9; ++number) history_.Add(&a_, Snapshot(number));
  history_.Add(&b_, Snapshot(3));
  EXPECT_EQ(history_.Find(&a_, "f1"), nullptr);
  EXPECT_NE(history_.Find(&a_, "f2"), nullptr);
  EXPECT_NE(history_.Find(&a_, "f9"), nullptr);
  EXPECT_NE(history_.Find(&b_, "f3"), nullptr);
  EXPECT_EQ(history_.Find(&b_, "f4"), nullptr);
  EXPECT_EQ(history_.size(), 9u);
}

TEST_F(SnapshotHistoryTest, ASnapshotAddedTwiceIsKeptOnce) {
  const auto first = Snapshot(1);
  for (int i = 0; i < 20; ++i) history_.Add(&a_, first);
  EXPECT_EQ(history_.size(), 1u);
  EXPECT_EQ(first.use_count(), 2);
  for (uint64_t number = 2; number <= 8; ++number) history_.Add(&a_, Snapshot(number));
  EXPECT_EQ(history_.Find(&a_, "f1"), first) << "one of eight";
}

TEST_F(SnapshotHistoryTest, DropsTheOldestUntilNoneIsLeft) {
  history_.Add(&b_, Snapshot(2));
  history_.Add(&a_, Snapshot(1));
  history_.Add(&a_, Snapshot(3));
  EXPECT_TRUE(history_.DropOldest());
  EXPECT_EQ(history_.Find(&a_, "f1"), nullptr);
  EXPECT_TRUE(history_.DropOldest());
  EXPECT_EQ(history_.Find(&b_, "f2"), nullptr);
  EXPECT_NE(history_.Find(&a_, "f3"), nullptr);
  EXPECT_TRUE(history_.DropOldest());
  EXPECT_FALSE(history_.DropOldest());
}

TEST_F(SnapshotHistoryTest, ForgettingAnOwnerKeepsTheOthers) {
  history_.Add(&a_, Snapshot(1));
  history_.Add(&b_, Snapshot(1));
  history_.Forget(&a_);
  history_.Forget(&a_);
  EXPECT_EQ(history_.Find(&a_, "f1"), nullptr);
  EXPECT_NE(history_.Find(&b_, "f1"), nullptr);
  EXPECT_EQ(history_.size(), 1u);
}

}  // namespace
}  // namespace stagedoor::server
