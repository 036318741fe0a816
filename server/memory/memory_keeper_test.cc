#include "server/memory/memory_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/memory_shortage.h"

namespace stagedoor::server {
namespace {

TEST(MemoryKeeperTest, ReportsLevelsAndFreesMemoryForAllocations) {
  std::atomic<uint64_t> used{10};
  std::atomic<int> releases{0};
  std::atomic<MemoryLevel> reported{MemoryLevel::kNormal};
  MemoryPressure pressure({.limits = {100, 200},
                           .steps = {{"cache", [&] { ++releases; }}},
                           .used = [&] { return used.load(); },
                           .return_to_system = [] {}});
  const MemoryKeeper keeper(pressure, [&](MemoryLevel level) { reported = level; });
  // An allocation may not be served in time on a busy machine, but it will be if it tries again.
  while (!AwaitMemoryRelief()) {
  }
  EXPECT_GE(releases, 1);
  EXPECT_EQ(reported, MemoryLevel::kNormal);
  used = 199;
  while (reported != MemoryLevel::kCritical) std::this_thread::yield();
  used = 10;
  while (reported != MemoryLevel::kNormal) std::this_thread::yield();
}

TEST(MemoryKeeperTest, WithoutItAllocationsDoNotWait) { EXPECT_FALSE(AwaitMemoryRelief()); }

}  // namespace
}  // namespace stagedoor::server
