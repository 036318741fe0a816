#include "server/lifecycle/idle_watch.h"

#include <gtest/gtest.h>

namespace stagedoor::server {
namespace {

using std::chrono::seconds;

constexpr IdleWatch::Time kStart{std::chrono::hours(1)};

TEST(IdleWatchTest, TimeCountsFromTheFirstLook) {
  IdleWatch watch(seconds(10));
  EXPECT_FALSE(watch.Observe(kStart, {.calls = 7}));
  EXPECT_FALSE(watch.Observe(kStart + seconds(9), {.calls = 7}));
  EXPECT_TRUE(watch.Observe(kStart + seconds(10), {.calls = 7}));
  EXPECT_TRUE(watch.Observe(kStart + seconds(11), {.calls = 7}));
}

TEST(IdleWatchTest, WhatIsOpenIsUse) {
  IdleWatch watch(seconds(10));
  EXPECT_FALSE(watch.Observe(kStart, {.open = 1}));
  EXPECT_FALSE(watch.Observe(kStart + seconds(100), {.open = 1}));
  EXPECT_FALSE(watch.Observe(kStart + seconds(109), {}));
  EXPECT_TRUE(watch.Observe(kStart + seconds(110), {}));
}

TEST(IdleWatchTest, SoIsACallBetweenTwoLooks) {
  IdleWatch watch(seconds(10));
  EXPECT_FALSE(watch.Observe(kStart, {}));
  EXPECT_FALSE(watch.Observe(kStart + seconds(20), {.calls = 1}));
  EXPECT_FALSE(watch.Observe(kStart + seconds(29), {.calls = 1}));
  EXPECT_TRUE(watch.Observe(kStart + seconds(30), {.calls = 1}));
}

TEST(IdleWatchTest, ZeroMeansNever) {
  IdleWatch watch(seconds(0));
  EXPECT_FALSE(watch.Observe(kStart, {}));
  EXPECT_FALSE(watch.Observe(kStart + std::chrono::hours(1000), {}));
}

}  // namespace
}  // namespace stagedoor::server
