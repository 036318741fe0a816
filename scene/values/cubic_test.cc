#include "scene/values/cubic.h"

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(CubicTest, PointsAreThoseOfABezierCurve) {
  const Cubic cubic = Cubic::FromPoints(1, 4, 2, 8);
  EXPECT_EQ(cubic.At(0), 1);
  EXPECT_EQ(cubic.At(1), 8);
  EXPECT_EQ(cubic.At(0.5), (1 + 3 * 4 + 3 * 2 + 8) / 8.0);
}

// Each has one zero at 0.25 in the interval; the other zeros are outside of it.
TEST(CubicTest, TheRisingZeroIsTheOneInTheInterval) {
  const Cubic kCases[] = {
      {0, 0, 4, -1},      // a line
      {0, 4, 7, -2},      // (4t - 1)(t + 2): the larger zero
      {0, -4, 17, -4},    // (4t - 1)(4 - t): the smaller zero
      {4, -1, 4, -1},     // (4t - 1)(t^2 + 1): one real zero
      {4, 15, 8, -3},     // (4t - 1)(t + 1)(t + 3): three real zeros
      {4, 7, 2, -1},      // (4t - 1)(t + 1)^2: a double zero
      {64, -48, 12, -1},  // (4t - 1)^3: a triple zero
  };
  for (const Cubic& cubic : kCases) {
    EXPECT_NEAR(RisingZero(cubic), 0.25, 1e-6)
        << cubic.a << " " << cubic.b << " " << cubic.c << " " << cubic.d;
  }
}

TEST(CubicTest, AZeroJustOutsideIsMovedToTheEnd) {
  EXPECT_EQ(RisingZero({0, 0, 1, 1e-12}), 0);
  EXPECT_EQ(RisingZero({0, 0, 1, -1 - 1e-12}), 1);
  EXPECT_EQ(RisingZero({0, 0, 0, 0}), 0) << "zero everywhere";
}

}  // namespace
}  // namespace stagedoor
