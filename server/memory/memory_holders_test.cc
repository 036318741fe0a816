#include "server/memory/memory_holders.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/request_context.h"
#include "scene/testing/test_scene.h"
#include "server/frame_memory/frame_memory.h"
#include "server/stages/path_set_store.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {
namespace {

class MemoryHoldersTest : public ::testing::Test {
 protected:
  MemoryHoldersTest() {
    scene_.Write("root.usda", "def \"P\" {}\n");
    google::protobuf::RepeatedPtrField<std::string> paths;
    *paths.Add() = "/P";
    EXPECT_TRUE(path_sets_.Define(context_, "ada", paths).ok());
  }

  std::shared_ptr<const StageSnapshot> Open() {
    StageKey key;
    key.options.root = "/root.usda";
    auto opened = stages_.Open(context_, key);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? opened->snapshot : nullptr;
  }
  std::map<std::string, uint64_t, std::less<>> Entries() const {
    std::map<std::string, uint64_t, std::less<>> entries;
    for (const MemoryHolder& holder : holders_.all()) {
      entries.emplace(holder.name, holder.size().entries);
    }
    return entries;
  }
  const MemoryHolder& Holder(std::string_view name) const {
    for (const MemoryHolder& holder : holders_.all()) {
      if (holder.name == name) return holder;
    }
    ADD_FAILURE() << name;
    return holders_.all().front();
  }
  void TakeStep(std::string_view name) const {
    for (const MemoryPressure::Step& step : holders_.PressureSteps()) {
      if (step.name == name) step.release();
    }
  }

  TestScene scene_;
  RequestContext& context_ = scene_.context();
  StageCache stages_{scene_.environment(), StageCacheOptions()};
  PathSetStore path_sets_{nullptr, PathSetStore::Options()};
  FrameMemory frames_{nullptr, FrameMemory::Options()};
  const MemoryHolders holders_{stages_, path_sets_, frames_, nullptr};
};

TEST_F(MemoryHoldersTest, HoldersOfOthersComeFirst) {
  std::vector<std::string_view> names;
  for (const MemoryHolder& holder : holders_.all()) names.push_back(holder.name);
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"stages", "clips", "layers", "frames", "path_sets"}));
}

TEST_F(MemoryHoldersTest, UnderPressureTheCheapestGoesFirst) {
  std::vector<std::string_view> names;
  for (const MemoryPressure::Step& step : holders_.PressureSteps()) names.push_back(step.name);
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"path_sets", "frames", "layers", "clips", "stages"}));
}

TEST_F(MemoryHoldersTest, ReleaseFreesWhatNobodyUses) {
  const auto held = Open();
  ASSERT_TRUE(Holder("stages").Release(context_).ok());
  ASSERT_TRUE(Holder("layers").Release(context_).ok());
  EXPECT_EQ(Entries()["stages"], 1u) << "it is in use";
  EXPECT_EQ(Entries()["layers"], 1u) << "the stage uses it";
  EXPECT_GT(Holder("layers").size().bytes, 0u);
  ASSERT_TRUE(Holder("path_sets").Release(context_).ok());
  EXPECT_EQ(Entries()["path_sets"], 0u);
}

TEST_F(MemoryHoldersTest, ReleaseWaitsUntilStagesAreDestroyed) {
  Open();
  ASSERT_TRUE(Holder("stages").Release(context_).ok());
  EXPECT_FALSE(stages_.is_destroying());
  EXPECT_EQ(Entries()["stages"], 0u);
  EXPECT_EQ(Entries()["layers"], 1u) << "kept for the next stage";
}

TEST_F(MemoryHoldersTest, AStepFreesWhatItsHolderKeptInUse) {
  Open();
  TakeStep("layers");
  EXPECT_EQ(Entries()["layers"], 1u) << "the idle stage uses it";
  TakeStep("stages");
  EXPECT_EQ(Entries()["stages"], 0u);
  EXPECT_EQ(Entries()["layers"], 0u);
  EXPECT_EQ(Entries()["path_sets"], 1u) << "not its own";
}

TEST_F(MemoryHoldersTest, ListsOfPathsKeepNoAssetsOpen) {
  Open();
  holders_.DropAssets();
  while (stages_.is_destroying()) std::this_thread::yield();
  holders_.DropAssets();
  EXPECT_EQ(Entries()["stages"], 0u);
  EXPECT_EQ(Entries()["layers"], 0u);
  EXPECT_EQ(Entries()["path_sets"], 1u);
}

}  // namespace
}  // namespace stagedoor::server
