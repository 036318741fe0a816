#include "base/memory_pool.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(MemoryPoolTest, HasANameAndALimit) {
  const MemoryPool pool("replies", 100);
  EXPECT_EQ(pool.name(), "replies");
  EXPECT_EQ(pool.limit(), 100u);
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_FALSE(pool.over());
  EXPECT_EQ(MemoryPool("layers").limit(), MemoryPool::kNoLimit);
}

TEST(MemoryPoolTest, RefusesWhatDoesNotFitAndReusesReturnedBytes) {
  MemoryPool pool("test", 100);
  ASSERT_TRUE(pool.Reserve(60, "reply").ok());
  EXPECT_EQ(pool.Reserve(41, "reply").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(pool.Reserve(SIZE_MAX, "reply").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(pool.used(), 60u);
  pool.Release(60);
  EXPECT_TRUE(pool.Reserve(100, "reply").ok());
  EXPECT_TRUE(pool.Reserve(0, "reply").ok());
  EXPECT_FALSE(pool.over()) << "what was asked for never exceeds the limit";
}

TEST(MemoryPoolTest, StatesWhetherARetryMaySucceed) {
  MemoryPool pool("test", 100);
  const absl::Status never = pool.Reserve(101, "reply");
  EXPECT_EQ(Message(never),
            "reply: 101 bytes do not fit into the shared budget of 100 bytes (0 in use)");
  EXPECT_FALSE(RetryDelay(never).has_value());
  ASSERT_TRUE(pool.Reserve(60, "reply").ok());
  const absl::Status later = pool.Reserve(41, "reply");
  EXPECT_EQ(Message(later),
            "reply: 41 bytes do not fit into the shared budget of 100 bytes (60 in use)");
  EXPECT_EQ(RetryDelay(later), std::chrono::milliseconds(500));
  EXPECT_TRUE(pool.Reserve(40, "reply").ok());
  EXPECT_EQ(pool.used(), 100u);
  pool.Release(100);
  EXPECT_EQ(pool.used(), 0u);
}

TEST(MemoryPoolTest, APoolTakesFromItsOuterPoolToo) {
  MemoryPool outer("outer", 100);
  {
    MemoryPool first("first", 80, &outer);
    MemoryPool second("second", 80, &outer);
    ASSERT_TRUE(first.Reserve(60, "reply").ok());
    EXPECT_EQ(Message(second.Reserve(41, "reply")),
              "reply: 41 bytes do not fit into the shared budget of 100 bytes (60 in use)");
    EXPECT_EQ(second.used(), 0u) << "nothing is kept of a refusal";
    EXPECT_FALSE(RetryDelay(first.Reserve(81, "reply")).has_value()) << "its own limit comes first";
    EXPECT_EQ(outer.used(), 60u);
    first.Release(10);
    EXPECT_EQ(first.used(), 50u);
    EXPECT_EQ(outer.used(), 50u);
  }
  EXPECT_EQ(outer.used(), 0u) << "a pool returns what was never released";
}

TEST(MemoryPoolTest, LargePoolsLeaveASixteenthToSmallOnes) {
  MemoryPool outer("outer", 32 * kMiB);
  MemoryPool large("large", MemoryPool::kNoLimit, &outer);
  const absl::Status never = large.Reserve(30 * kMiB + 1, "reply");
  EXPECT_EQ(Message(never),
            Concat("reply: ", 30 * kMiB + 1, " bytes do not fit into the shared budget of ",
                   30 * kMiB, " bytes (0 in use)"));
  EXPECT_FALSE(RetryDelay(never).has_value()) << "it never fits";
  EXPECT_TRUE(large.Reserve(30 * kMiB, "reply").ok());
  EXPECT_TRUE(RetryDelay(large.Reserve(1, "reply")).has_value());

  MemoryPool small("small", MemoryPool::kNoLimit, &outer);
  EXPECT_TRUE(small.Reserve(kSmallPoolBytes, "reply").ok());
  EXPECT_FALSE(small.Reserve(1, "reply").ok()) << "it is not small any more";
  small.Release(1);
  EXPECT_TRUE(small.Reserve(1, "reply").ok());
}

TEST(MemoryPoolTest, ManyThreadsNeverExceedTheLimit) {
  MemoryPool outer("outer", 1000);
  MemoryPool pool("inner", MemoryPool::kNoLimit, &outer);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10000; ++n) {
        if (!pool.Reserve(400, "reply").ok()) continue;
        EXPECT_LE(outer.used(), 1000u);
        pool.Release(400);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_EQ(outer.used(), 0u);
}

}  // namespace
}  // namespace stagedoor
