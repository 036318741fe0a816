#include "scene/values/spline_pieces.h"

#include <gtest/gtest.h>

#include <limits>

#include "scene/values/scalar_types.h"
#include "scene/values/spline_evaluation.h"

namespace stagedoor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// bezier, post: loop repeat; the numbers expected below are OpenUSD's.
Spline Wave() {
  Spline spline;
  spline.post.mode = ExtrapolationMode::kLoopRepeat;
  spline.knots.resize(4);
  spline.knots[0] = {.time = 0,
                     .value = 1,
                     .next = KnotInterpolation::kCurve,
                     .post_tangent_width = 1,
                     .post_tangent_slope = 0.5};
  spline.knots[1] = {.time = 4,
                     .value = 2,
                     .pre_value = 3,
                     .dual_valued = true,
                     .next = KnotInterpolation::kCurve,
                     .pre_tangent_width = 1,
                     .pre_tangent_slope = 0.25,
                     .post_tangent_width = 0.5,
                     .post_tangent_slope = 1};
  spline.knots[2] = {.time = 10,
                     .value = 4,
                     .next = KnotInterpolation::kLinear,
                     .pre_tangent_width = 1,
                     .pre_tangent_slope = 2};
  spline.knots[3] = {.time = 20, .value = 7};
  return spline;
}

void ExpectKnot(const SplineKnot& knot, double time, double value) {
  EXPECT_NEAR(knot.time, time, 1e-12);
  EXPECT_NEAR(knot.value, value, 1e-12) << "at " << time;
}

TEST(SplinePiecesTest, CutsCurvesAndUnrollsLoops) {
  const Spline cut = *CutSpline(Wave(), 2, 24, ExtrapolationMode::kHeld);
  ASSERT_EQ(cut.knots.size(), 5u);
  ExpectKnot(cut.knots[0], 2, 2.09375);
  EXPECT_NEAR(cut.knots[0].post_tangent_width, 0.75, 1e-12);
  EXPECT_NEAR(cut.knots[0].post_tangent_slope, 0.541666666666667, 1e-12);
  ExpectKnot(cut.knots[1], 4, 2);
  EXPECT_EQ(cut.knots[1].pre_value, 3);
  EXPECT_NEAR(cut.knots[1].pre_tangent_width, 0.5, 1e-12);
  ExpectKnot(cut.knots[3], 20, 7);
  EXPECT_EQ(cut.knots[3].next, KnotInterpolation::kCurve);
  ExpectKnot(cut.knots[4], 24, 9);
  EXPECT_EQ(cut.post.mode, ExtrapolationMode::kHeld);
  for (double t = 2; t < 24; t += 0.25) {
    EXPECT_NEAR(*EvaluateSpline(cut, t), *EvaluateSpline(Wave(), t), 1e-9) << t;
  }
}

TEST(SplinePiecesTest, KeepsLoopsBeyondTheCut) {
  const Spline cut = *CutSpline(Wave(), 6, kInfinity, ExtrapolationMode::kHeld);
  ASSERT_EQ(cut.knots.size(), 5u);
  ExpectKnot(cut.knots[0], 6, 2.339864714940528);
  EXPECT_EQ(cut.post.mode, ExtrapolationMode::kLoopRepeat);
  EXPECT_EQ(cut.post.loop_boundary, 10);
  ExpectKnot(cut.knots[4], 30, 10);
  for (double t = 6; t < 80; t += 0.75) {
    EXPECT_NEAR(*EvaluateSpline(cut, t), *EvaluateSpline(Wave(), t), 1e-9) << t;
  }
}

TEST(SplinePiecesTest, PlaysBackwards) {
  const Spline cut = *CutSpline(Wave(), 2, 14, ExtrapolationMode::kHeld);
  const Spline reversed = MapSpline(cut, {10, -2});
  ASSERT_EQ(reversed.knots.size(), 4u);
  ExpectKnot(reversed.knots[0], -18, 5.2);
  EXPECT_EQ(reversed.knots[0].next, KnotInterpolation::kLinear);
  EXPECT_NEAR(reversed.knots[1].post_tangent_width, 2, 1e-12);
  EXPECT_NEAR(reversed.knots[1].post_tangent_slope, -1, 1e-12);
  ExpectKnot(reversed.knots[2], 2, 3);
  EXPECT_EQ(reversed.knots[2].pre_value, 2);
  ExpectKnot(reversed.knots[3], 6, 2.09375);
}

TEST(SplinePiecesTest, JoinedKnotsHaveTheSidesOfBothPieces) {
  const Spline left = *CutSpline(Wave(), 0, 2, ExtrapolationMode::kHeld);
  const Spline joined = JoinSplines({left, ConstantSpline(left, 2, kInfinity, 5)});
  ASSERT_EQ(joined.knots.size(), 2u);
  ExpectKnot(joined.knots[1], 2, 5);
  EXPECT_NEAR(joined.knots[1].pre_value, 2.09375, 1e-12);
  EXPECT_NEAR(joined.knots[1].pre_tangent_width, 0.75, 1e-12);
  EXPECT_EQ(joined.post.mode, ExtrapolationMode::kHeld);
}

TEST(SplinePiecesTest, RefusesToWriteEndlessLoopsOut) {
  EXPECT_FALSE(CutSpline(Wave(), 0, 1e12, ExtrapolationMode::kHeld));
  Spline spline = Wave();
  spline.loop = SplineLoop{0, 4, 0, 2147483647, 1};
  EXPECT_FALSE(CutSpline(spline, 0, 5, ExtrapolationMode::kHeld));
}

TEST(SplinePiecesTest, WithoutAValueIsABlock) {
  const Spline blocked = ConstantSpline(Wave(), 1, kInfinity, std::nullopt);
  EXPECT_FALSE(EvaluateSpline(blocked, 3));
  EXPECT_EQ(blocked.post.mode, ExtrapolationMode::kValueBlock);
}

}  // namespace
}  // namespace stagedoor
