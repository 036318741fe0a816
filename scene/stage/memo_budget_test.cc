#include "scene/stage/memo_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/memory_pool.h"

namespace stagedoor {
namespace {

class MemoBudgetTest : public testing::Test {
 protected:
  MemoryPool pool_{"test", 1000};
  Reservation memory_{pool_};
  RequestContext context_;
};

TEST_F(MemoBudgetTest, ChargesEntriesUpToItsLimit) {
  MemoBudget budget(memory_, 100);
  EXPECT_TRUE(budget.Take(context_, 60));
  EXPECT_EQ(pool_.used(), 60u);
  EXPECT_FALSE(budget.Take(context_, 41));
  EXPECT_TRUE(budget.Take(context_, 40));
  EXPECT_EQ(pool_.used(), 100u);
  EXPECT_FALSE(budget.Take(context_, 1));
}

TEST_F(MemoBudgetTest, WhatWasReturnedIsTakenAgain) {
  MemoBudget budget(memory_, 100);
  EXPECT_TRUE(budget.Take(context_, 100));
  budget.Return(100);
  EXPECT_TRUE(budget.Take(context_, 100));
  EXPECT_EQ(pool_.used(), 100u);
}

TEST_F(MemoBudgetTest, KeepsNothingWhileThePoolIsOver) {
  MemoBudget budget(memory_, 100);
  Reservation other(pool_);
  other.Add(2000);
  EXPECT_FALSE(budget.Take(context_, 1));
  other.Release();
  EXPECT_TRUE(budget.Take(context_, 1));
}

TEST_F(MemoBudgetTest, KeepsNothingOfARequestThatIsOver) {
  MemoBudget budget(memory_, 100);
  EXPECT_TRUE(budget.Take(context_, 50));
  budget.Return(50);
  RequestContext over;
  over.Fail(absl::CancelledError("over"));
  EXPECT_FALSE(budget.Take(over, 10)) << "although there is some left";
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_FALSE(budget.Take(cancelled, 60));
  EXPECT_TRUE(budget.Take(context_, 10));
}

TEST_F(MemoBudgetTest, ManyEntriesAreChargedAtOnce) {
  MemoryPool pool("large");
  Reservation memory(pool);
  MemoBudget budget(memory, size_t{1} << 30);
  size_t charges = 0, before = 0, bytes = 0;
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(budget.Take(context_, 48));
    bytes += 48;
    charges += pool.used() != before;
    before = pool.used();
    EXPECT_GE(before, bytes);
    EXPECT_LE(before, bytes + bytes / 8);
  }
  EXPECT_LT(charges, 10'000u);
}

TEST_F(MemoBudgetTest, ThreadsTakeNoMoreThanThereIs) {
  MemoryPool pool("large");
  Reservation memory(pool);
  MemoBudget budget(memory, 100'000);
  std::vector<std::thread> threads;
  std::atomic<size_t> kept{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) kept += budget.Take(context_, 10) ? 10 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(kept, 100'000u);
  EXPECT_LE(pool.used(), 100'000u);
  EXPECT_GE(pool.used(), kept);
}

}  // namespace
}  // namespace stagedoor
