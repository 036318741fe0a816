#include "server/rpc/retry_advice.h"

#include <gtest/gtest.h>

#include <set>

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RetryAdviceTest, AnIdleServerAdvisesToRetrySoon) {
  RetryAdvice advice;
  EXPECT_EQ(advice.Next(), milliseconds(200));
  EXPECT_EQ(advice.Next(), milliseconds(323));
  EXPECT_EQ(advice.Next(), milliseconds(247));
}

TEST(RetryAdviceTest, DelaysAreSpread) {
  RetryAdvice advice;
  std::set<int64_t> tenths;
  for (int i = 0; i < 20; ++i) {
    const int64_t delay = advice.Next().count();
    EXPECT_GE(delay, 200);
    EXPECT_LT(delay, 400);
    tenths.insert((delay - 200) / 20);
  }
  EXPECT_EQ(tenths.size(), 10u);
}

TEST(RetryAdviceTest, DelaysFollowTheRecentWaits) {
  RetryAdvice advice;
  for (int i = 0; i < 1000; ++i) advice.Waited(seconds(2));
  const milliseconds busy = advice.Next();
  EXPECT_GE(busy, milliseconds(1999));
  EXPECT_LE(busy, milliseconds(2000));
  advice.Waited(seconds(0));
  EXPECT_LT(advice.Next(), 2 * milliseconds(1900)) << "one call that did not wait is no proof";
  for (int i = 0; i < 1000; ++i) advice.Waited(seconds(0));
  EXPECT_LT(advice.Next(), milliseconds(400));
}

TEST(RetryAdviceTest, DelaysAreBounded) {
  RetryAdvice advice;
  for (int i = 0; i < 1000; ++i) advice.Waited(seconds(3600));
  EXPECT_EQ(advice.Next(), seconds(10));
  EXPECT_LT(advice.Next(), seconds(20));
}

}  // namespace
}  // namespace stagedoor::server
