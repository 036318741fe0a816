#include "server/log/rate_limiter.h"

#include <gtest/gtest.h>

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;
constexpr RateLimiter::Clock::time_point kStart{std::chrono::hours(1)};

TEST(RateLimiterTest, AdmitsABurstAndThenOnePerInterval) {
  RateLimiter limiter(3, milliseconds(100));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.Admit(kStart), 0u) << i;
  EXPECT_EQ(limiter.Admit(kStart), std::nullopt);
  EXPECT_EQ(limiter.Admit(kStart + milliseconds(99)), std::nullopt);
  EXPECT_EQ(limiter.Admit(kStart + milliseconds(100)), 2u) << "two were suppressed before";
  EXPECT_EQ(limiter.Admit(kStart + milliseconds(199)), std::nullopt);
  EXPECT_EQ(limiter.Admit(kStart + milliseconds(200)), 1u);
}

TEST(RateLimiterTest, SavesAtMostOneBurst) {
  RateLimiter limiter(2, milliseconds(1));
  EXPECT_EQ(limiter.Admit(kStart), 0u);
  const auto later = kStart + std::chrono::hours(1);
  EXPECT_EQ(limiter.Admit(later), 0u);
  EXPECT_EQ(limiter.Admit(later), 0u);
  EXPECT_EQ(limiter.Admit(later), std::nullopt);
}

}  // namespace
}  // namespace stagedoor::server
