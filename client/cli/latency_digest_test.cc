#include "client/cli/latency_digest.h"

#include <gtest/gtest.h>

namespace stagedoor {
namespace {

using std::chrono::nanoseconds;

TEST(LatencyDigestTest, AnEmptyOneHasZeros) {
  const LatencyDigest digest;
  EXPECT_EQ(digest.count(), 0u);
  EXPECT_EQ(digest.Percentile(50), nanoseconds(0));
  EXPECT_EQ(digest.Mean(), nanoseconds(0));
  EXPECT_EQ(digest.max(), nanoseconds(0));
}

TEST(LatencyDigestTest, PercentilesAreThoseOfTheNearestRank) {
  LatencyDigest digest;
  for (int i = 1; i <= 60; ++i) digest.Add(nanoseconds(i));
  EXPECT_EQ(digest.Percentile(50), nanoseconds(30));
  EXPECT_EQ(digest.Percentile(90), nanoseconds(54));
  EXPECT_EQ(digest.Percentile(99), nanoseconds(60));
  EXPECT_EQ(digest.Percentile(100), nanoseconds(60));
  EXPECT_EQ(digest.Percentile(0), nanoseconds(1));
  EXPECT_EQ(digest.max(), nanoseconds(60));
  EXPECT_EQ(digest.count(), 60u);
}

TEST(LatencyDigestTest, LargeLatenciesAreExactToAPercentOrTwo) {
  for (const int64_t latency : {64, 127, 128, 1000, 999999, 123456789}) {
    LatencyDigest digest;
    digest.Add(nanoseconds(latency));
    digest.Add(nanoseconds(INT64_MAX));
    const auto half = static_cast<double>(digest.Percentile(50).count());
    EXPECT_GE(half, static_cast<double>(latency));
    EXPECT_LE(half, static_cast<double>(latency) * 1.016);
    EXPECT_EQ(digest.Percentile(100), nanoseconds(INT64_MAX));
  }
}

TEST(LatencyDigestTest, DigestsAddUp) {
  LatencyDigest a, b;
  a.Add(nanoseconds(10));
  b.Add(nanoseconds(30));
  b.Add(nanoseconds(-5));
  a.Add(b);
  EXPECT_EQ(a.count(), 3u);
  EXPECT_EQ(a.Mean(), nanoseconds(13));
  EXPECT_EQ(a.Percentile(50), nanoseconds(10));
  EXPECT_EQ(a.max(), nanoseconds(30));
}

}  // namespace
}  // namespace stagedoor
