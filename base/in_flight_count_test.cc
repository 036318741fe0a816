#include "base/in_flight_count.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace stagedoor {
namespace {

TEST(InFlightCountTest, CountsWhatHasBegunAndNotEnded) {
  InFlightCount count;
  EXPECT_EQ(count.count(), 0u);
  count.Begin();
  count.Begin();
  EXPECT_EQ(count.count(), 2u);
  count.End();
  EXPECT_EQ(count.count(), 1u);
}

TEST(InFlightCountTest, BeginsAtMostAsManyAsAllowed) {
  InFlightCount count;
  EXPECT_TRUE(count.TryBegin(2));
  EXPECT_TRUE(count.TryBegin(2));
  EXPECT_FALSE(count.TryBegin(2));
  EXPECT_EQ(count.count(), 2u);
  count.End();
  EXPECT_TRUE(count.TryBegin(2));
}

TEST(InFlightCountTest, WaitsForTheLastToEnd) {
  InFlightCount count;
  count.WaitForNone();  // returns at once
  count.Begin();
  count.Begin();
  std::atomic<bool> ended{false};
  std::thread other([&] {
    count.End();
    ended = true;
    count.End();
  });
  count.WaitForNone();
  EXPECT_TRUE(ended);
  EXPECT_EQ(count.count(), 0u);
  other.join();
}

TEST(InFlightCountTest, WaitsUntilTheDeadlineOnly) {
  const auto now = std::chrono::steady_clock::now();
  InFlightCount count;
  EXPECT_TRUE(count.WaitForNone(now)) << "nothing is in flight";
  count.Begin();
  EXPECT_FALSE(count.WaitForNone(now));
  EXPECT_FALSE(count.WaitForNone(now + std::chrono::milliseconds(5)));
  std::thread other([&] { count.End(); });
  EXPECT_TRUE(count.WaitForNone(now + std::chrono::hours(1)));
  other.join();
}

}  // namespace
}  // namespace stagedoor
