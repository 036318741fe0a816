#include "server/rpc/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stagedoor::server {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

size_t BucketOf(nanoseconds time) {
  LatencyHistogram histogram;
  histogram.Record(time);
  size_t bucket = 0;
  while (bucket < LatencyHistogram::kBuckets && histogram.count(bucket) == 0) ++bucket;
  return bucket;
}

TEST(LatencyHistogramTest, ABoundBelongsToItsBucket) {
  EXPECT_EQ(BucketOf(nanoseconds(0)), 0u);
  EXPECT_EQ(BucketOf(microseconds(50)), 0u);
  EXPECT_EQ(BucketOf(nanoseconds(50001)), 1u);
  EXPECT_EQ(BucketOf(microseconds(100)), 1u);
  EXPECT_EQ(BucketOf(seconds(1)), 13u);
  EXPECT_EQ(BucketOf(seconds(30)), 17u);
  EXPECT_EQ(BucketOf(seconds(31)), 18u);
}

TEST(LatencyHistogramTest, BoundsAscend) {
  const auto& bounds = LatencyHistogram::kBounds;
  EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
}

TEST(LatencyHistogramTest, AddsUp) {
  LatencyHistogram histogram;
  histogram.Record(seconds(2));
  histogram.Record(nanoseconds(5));
  EXPECT_EQ(histogram.sum(), nanoseconds(2000000005));
}

}  // namespace
}  // namespace stagedoor::server
