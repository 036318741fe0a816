#include "resolver/http/http_engine.h"

#include <chrono>
#include <set>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

TEST(HttpRetryPolicyTest, GrowsExponentiallyUpToALimit) {
  HttpRetryPolicy policy;
  policy.random = [] { return 1.0; };
  EXPECT_EQ(policy.Delay(1, {}), milliseconds(100));
  EXPECT_EQ(policy.Delay(2, {}), milliseconds(200));
  EXPECT_EQ(policy.Delay(5, {}), milliseconds(1600));
  EXPECT_EQ(policy.Delay(6, {}), milliseconds(2000));
  EXPECT_EQ(policy.Delay(2000, {}), milliseconds(2000));
}

TEST(HttpRetryPolicyTest, JitterIsFull) {
  HttpRetryPolicy policy;
  policy.random = [] { return 0.0; };
  EXPECT_EQ(policy.Delay(3, {}), milliseconds(0));
  policy.random = [] { return 0.5; };
  EXPECT_EQ(policy.Delay(3, {}), milliseconds(200));
  policy.random = nullptr;
  std::set<HttpRetryPolicy::Duration> delays;
  for (int i = 0; i < 100; ++i) delays.insert(policy.Delay(1, {}));
  EXPECT_GE(*delays.begin(), milliseconds(0));
  EXPECT_LE(*delays.rbegin(), milliseconds(100));
  EXPECT_GT(delays.size(), 10);
}

TEST(HttpRetryPolicyTest, WaitsAsLongAsTheServerAsksWithinBounds) {
  HttpRetryPolicy policy;
  policy.random = [] { return 1.0; };
  EXPECT_EQ(policy.Delay(1, milliseconds(3000)), milliseconds(3000));
  EXPECT_EQ(policy.Delay(1, milliseconds(3600'000)), milliseconds(5000));
  EXPECT_EQ(policy.Delay(1, milliseconds(0)), milliseconds(100));
}

}  // namespace
}  // namespace stagedoor
