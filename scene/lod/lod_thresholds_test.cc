#include "scene/lod/lod_thresholds.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace stagedoor {
namespace {

using Floats = std::vector<float>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

float ByDistance(double distance, const Floats& thresholds, const Floats& blends = {}) {
  return LodLevel(distance, thresholds, blends, LodOrder::kAscending);
}
float BySize(double size, const Floats& thresholds, const Floats& blends = {}) {
  return LodLevel(size, thresholds, blends, LodOrder::kDescending);
}

TEST(LodThresholdsTest, DistancesReachThresholds) {
  const Floats thresholds = {10, 50, 100};
  EXPECT_EQ(ByDistance(-5, thresholds), 0);
  EXPECT_EQ(ByDistance(9.99, thresholds), 0);
  EXPECT_EQ(ByDistance(10, thresholds), 1);
  EXPECT_EQ(ByDistance(60, thresholds), 2);
  EXPECT_EQ(ByDistance(kInfinity, thresholds), 3);
  EXPECT_EQ(ByDistance(kNan, thresholds), 3);
  EXPECT_EQ(ByDistance(60, {}), 0);
}

TEST(LodThresholdsTest, SizesFallBelowThresholds) {
  const Floats thresholds = {0.25, 0.1F, 0.025F};
  EXPECT_EQ(BySize(0.3, thresholds), 0);
  EXPECT_EQ(BySize(0.25, thresholds), 1);
  EXPECT_EQ(BySize(0.15, thresholds), 1);
  EXPECT_EQ(BySize(0.01, thresholds), 3);
  EXPECT_EQ(BySize(kNan, thresholds), 3);
}

TEST(LodThresholdsTest, BlendsAreLinear) {
  const Floats thresholds = {10, 50, 100};
  const Floats blends = {11, 55, 110};
  EXPECT_EQ(ByDistance(10, thresholds, blends), 0);
  EXPECT_EQ(ByDistance(10.5, thresholds, blends), 0.5F);
  EXPECT_EQ(ByDistance(11, thresholds, blends), 1);
  EXPECT_EQ(ByDistance(105, thresholds, blends), 2.5F);
  EXPECT_EQ(ByDistance(200, thresholds, blends), 3);
  EXPECT_EQ(ByDistance(52.5, thresholds, {11}), 2);  // without the other blend thresholds
  EXPECT_FLOAT_EQ(BySize(0.225, {0.25, 0.1F}, {0.2F}), 0.5F);
  EXPECT_EQ(BySize(0, {0.25}, {-0.25}), 0.5F);
}

TEST(LodThresholdsTest, BlendsDoNotReachBeyondTheNextThreshold) {
  const Floats thresholds = {10, 50, 100};
  const Floats blends = {70, 120, 90};
  EXPECT_EQ(ByDistance(20, thresholds, blends), 0.25F);
  EXPECT_EQ(ByDistance(60, thresholds, blends), 1.2F);
  EXPECT_EQ(ByDistance(100, thresholds, blends), 3);
  EXPECT_EQ(ByDistance(20, thresholds, {5, 45, 90}), 1);  // they end before they begin
}

TEST(LodThresholdsTest, ArraysThatAreNotSortedAreSearchedInHalves) {
  EXPECT_EQ(ByDistance(10, {50, 10, 100}), 2);
  EXPECT_EQ(ByDistance(5, {50, 10, 100}), 0);
  EXPECT_EQ(ByDistance(10, {100, 50, 10}), 0);
  EXPECT_EQ(ByDistance(50, {100, 50, 10}), 3);
  EXPECT_EQ(ByDistance(15, {10, 10, 50}, {20, 30, 60}), 1.25F);
  // The second blend threshold seems to be reached, and so the first one.
  EXPECT_EQ(ByDistance(2, {1.96F}, {8.98F, 1.5F}), 1);
}

TEST(LodThresholdsTest, HysteresisStaysCloseToThePreviousMeasure) {
  EXPECT_EQ(WithHysteresis(5, 5.5, 1), 5.5);
  EXPECT_EQ(WithHysteresis(5, 10, 1), 6);
  EXPECT_EQ(WithHysteresis(5, 0, 0.5), 4.5);
  EXPECT_EQ(WithHysteresis(5, 0, 0), 5);
}

}  // namespace
}  // namespace stagedoor
