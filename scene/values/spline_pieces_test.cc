#include "scene/values/spline_pieces.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "scene/values/half.h"
#include "scene/values/spline_evaluation.h"

namespace stagedoor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A Bézier spline with "post: loop repeat". Expected numbers were recorded from OpenUSD.
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

TEST(SplinePiecesTest, JoinedKnotsCombineTheSidesOfBothPieces) {
  const Spline left = *CutSpline(Wave(), 0, 2, ExtrapolationMode::kHeld);
  const Spline joined = JoinSplines({left, ConstantSpline(left, 2, kInfinity, 5)});
  ASSERT_EQ(joined.knots.size(), 2u);
  ExpectKnot(joined.knots[1], 2, 5);
  EXPECT_NEAR(joined.knots[1].pre_value, 2.09375, 1e-12);
  EXPECT_NEAR(joined.knots[1].pre_tangent_width, 0.75, 1e-12);
  EXPECT_EQ(joined.post.mode, ExtrapolationMode::kHeld);
}

TEST(SplinePiecesTest, RejectsLoopsWithTooManyKnots) {
  EXPECT_FALSE(CutSpline(Wave(), 0, 1e12, ExtrapolationMode::kHeld));
  Spline spline = Wave();
  spline.loop = SplineLoopParams{0, 4, 0, 2147483647, 1};
  EXPECT_FALSE(CutSpline(spline, 0, 5, ExtrapolationMode::kHeld));
}

// Knots at 0, 10 and 20 with the values 1, 6 and 4, joined by linear segments.
Spline Roof(ExtrapolationMode pre, ExtrapolationMode post) {
  Spline spline;
  spline.pre.mode = pre;
  spline.post.mode = post;
  if (pre == ExtrapolationMode::kSloped) spline.pre.slope = 2;
  if (post == ExtrapolationMode::kSloped) spline.post.slope = 3;
  spline.knots.resize(3);
  spline.knots[0] = {.time = 0, .value = 1, .next = KnotInterpolation::kLinear};
  spline.knots[1] = {.time = 10, .value = 6, .next = KnotInterpolation::kLinear};
  spline.knots[2] = {.time = 20, .value = 4};
  return spline;
}

struct Interval {
  double begin;
  double end;
};
constexpr Interval kIntervals[] = {{0, 20},          {0, 10},
                                   {10, 20},         {3, 7},
                                   {3, 15},          {10, 15},
                                   {-5, 5},          {-5, 25},
                                   {15, 25},         {20, 25},
                                   {-5, 0},          {-5, 20},
                                   {-7, -3},         {23, 28},
                                   {0, 25},          {3, kInfinity},
                                   {-kInfinity, 3},  {10, kInfinity},
                                   {-kInfinity, 10}, {23, kInfinity},
                                   {-kInfinity, -3}, {-kInfinity, kInfinity},
                                   {20, kInfinity},  {-kInfinity, 0},
                                   {-5, kInfinity},  {-kInfinity, 25}};

constexpr ExtrapolationMode kModes[] = {
    ExtrapolationMode::kValueBlock, ExtrapolationMode::kHeld,
    ExtrapolationMode::kSloped,     ExtrapolationMode::kLoopRepeat,
    ExtrapolationMode::kLoopReset,  ExtrapolationMode::kLoopOscillate};

// As in OpenUSD, a piece before all knots measures its slope from the second knot.
bool IsMeasuredFromTheWrongKnot(const Spline& spline, const Interval& cut) {
  return spline.pre.mode == ExtrapolationMode::kSloped && cut.end < spline.knots[0].time;
}

TEST(SplinePiecesTest, PiecesKeepTheValuesOfTheWhole) {
  for (const ExtrapolationMode pre : kModes) {
    for (const ExtrapolationMode post : kModes) {
      const Spline spline = Roof(pre, post);
      for (const Interval& cut : kIntervals) {
        if (IsMeasuredFromTheWrongKnot(spline, cut)) continue;
        SCOPED_TRACE(testing::Message() << static_cast<int>(pre) << " " << static_cast<int>(post)
                                        << " [" << cut.begin << ", " << cut.end << ")");
        const auto piece = CutSpline(spline, cut.begin, cut.end, ExtrapolationMode::kHeld);
        ASSERT_TRUE(piece);
        for (double t = -49.875; t < 60; t += 1.25) {
          if (t < cut.begin || t >= cut.end) continue;
          const auto expected = EvaluateSpline(spline, t);
          const auto value = EvaluateSpline(*piece, t);
          ASSERT_EQ(value.has_value(), expected.has_value()) << t;
          EXPECT_NEAR(value.value_or(0), expected.value_or(0), 1e-9) << t;
        }
      }
    }
  }
}

TEST(SplinePiecesTest, LoopsWithABoundaryAreUnrolled) {
  for (const ExtrapolationMode mode :
       {ExtrapolationMode::kLoopRepeat, ExtrapolationMode::kLoopReset,
        ExtrapolationMode::kLoopOscillate}) {
    Spline spline = Roof(mode, mode);
    spline.pre.loop_boundary = spline.post.loop_boundary = 10;
    for (const Interval& cut : {Interval{-35, 55}, Interval{-35, 5}, Interval{15, 47}}) {
      SCOPED_TRACE(testing::Message()
                   << static_cast<int>(mode) << " [" << cut.begin << ", " << cut.end << ")");
      const auto piece = CutSpline(spline, cut.begin, cut.end, ExtrapolationMode::kHeld);
      ASSERT_TRUE(piece);
      for (double t = cut.begin + 0.125; t < cut.end; t += 1.25) {
        EXPECT_NEAR(*EvaluateSpline(*piece, t), *EvaluateSpline(spline, t), 1e-9) << t;
      }
    }
  }
}

TEST(SplinePiecesTest, FiniteEndsHaveKnotsAndTheGivenExtrapolation) {
  const Spline spline = Roof(ExtrapolationMode::kSloped, ExtrapolationMode::kSloped);
  for (const Interval& cut : kIntervals) {
    for (const ExtrapolationMode beyond :
         {ExtrapolationMode::kHeld, ExtrapolationMode::kValueBlock}) {
      SCOPED_TRACE(testing::Message() << "[" << cut.begin << ", " << cut.end << ")");
      const Spline piece = *CutSpline(spline, cut.begin, cut.end, beyond);
      ASSERT_FALSE(piece.knots.empty());
      const double first = piece.knots.front().time;
      const double last = piece.knots.back().time;
      EXPECT_TRUE(cut.begin == -kInfinity || first == cut.begin) << first;
      EXPECT_TRUE(cut.end == kInfinity || last == cut.end) << last;
      EXPECT_EQ(piece.pre.mode, cut.begin == -kInfinity ? spline.pre.mode : beyond);
      EXPECT_EQ(piece.post.mode, cut.end == kInfinity ? spline.post.mode : beyond);
      for (size_t i = 1; i < piece.knots.size(); ++i) {
        EXPECT_LT(piece.knots[i - 1].time, piece.knots[i].time);
      }
    }
  }
}

TEST(SplinePiecesTest, PiecesWithoutKnotsOfTheirOwnFollowTheExtrapolation) {
  const Spline sloped = Roof(ExtrapolationMode::kSloped, ExtrapolationMode::kSloped);
  const Spline after = *CutSpline(sloped, 22, 28, ExtrapolationMode::kHeld);
  ASSERT_EQ(after.knots.size(), 2u);
  ExpectKnot(after.knots[0], 22, 10);
  ExpectKnot(after.knots[1], 28, 28);
  EXPECT_EQ(after.knots[0].next, KnotInterpolation::kLinear);
  EXPECT_NEAR(after.knots[1].pre_tangent_width, 2, 1e-12);
  EXPECT_NEAR(after.knots[1].pre_tangent_slope, 3, 1e-12);
  const Spline before = *CutSpline(sloped, -8, -2, ExtrapolationMode::kHeld);
  ASSERT_EQ(before.knots.size(), 2u);
  ExpectKnot(before.knots[0], -8, 1 + 2 * (-8 - 10));  // from the second knot, as in OpenUSD
  ExpectKnot(before.knots[1], -2, 1 + 2 * (-2 - 10));
  EXPECT_NEAR(before.knots[0].post_tangent_width, 6, 1e-12);
  EXPECT_NEAR(before.knots[0].post_tangent_slope, 2, 1e-12);
  EXPECT_EQ(before.knots[1].pre_tangent_width, 0);
  const Spline open = *CutSpline(sloped, 22, kInfinity, ExtrapolationMode::kHeld);
  ASSERT_EQ(open.knots.size(), 1u);
  ExpectKnot(open.knots[0], 22, 10);
  const Spline blocked = *CutSpline(Roof(ExtrapolationMode::kHeld, ExtrapolationMode::kValueBlock),
                                    22, 28, ExtrapolationMode::kHeld);
  EXPECT_EQ(blocked.knots[0].next, KnotInterpolation::kValueBlock);
  // Linear extrapolation is flat in a piece that contains no segment.
  const Spline linear = *CutSpline(Roof(ExtrapolationMode::kLinear, ExtrapolationMode::kLinear), 22,
                                   28, ExtrapolationMode::kHeld);
  ExpectKnot(linear.knots[0], 22, 4);
  ExpectKnot(linear.knots[1], 28, 4);
  const Spline reaching = *CutSpline(Roof(ExtrapolationMode::kLinear, ExtrapolationMode::kLinear),
                                     -4, 24, ExtrapolationMode::kHeld);
  ExpectKnot(reaching.knots.front(), -4, -1);
  ExpectKnot(reaching.knots.back(), 24, 3.2);
}

TEST(SplinePiecesTest, ASplineWithoutKnotsStaysEmpty) {
  Spline empty;
  empty.value_type = ValueType::kFloat;
  empty.time_valued = true;
  const Spline piece = *CutSpline(empty, 1, 2, ExtrapolationMode::kValueBlock);
  EXPECT_TRUE(piece.knots.empty());
  EXPECT_EQ(piece.value_type, ValueType::kFloat);
  EXPECT_TRUE(piece.time_valued);
  EXPECT_EQ(piece.pre.mode, ExtrapolationMode::kValueBlock);
}

TEST(SplinePiecesTest, CutsAtADualValuedKnotTakeTheNearSide) {
  Spline spline = Roof(ExtrapolationMode::kHeld, ExtrapolationMode::kHeld);
  spline.knots[1].dual_valued = true;
  spline.knots[1].pre_value = 5;
  const Spline left = *CutSpline(spline, 0, 10, ExtrapolationMode::kHeld);
  ExpectKnot(left.knots.back(), 10, 5);
  EXPECT_FALSE(left.knots.back().dual_valued);
  EXPECT_EQ(left.knots.back().next, KnotInterpolation::kHeld);
  const Spline right = *CutSpline(spline, 10, 20, ExtrapolationMode::kHeld);
  ExpectKnot(right.knots.front(), 10, 6);
  EXPECT_FALSE(right.knots.front().dual_valued);
  // Joining the pieces restores the spline.
  const Spline joined = JoinSplines({left, right});
  ASSERT_EQ(joined.knots.size(), 3u);
  ExpectKnot(joined.knots[1], 10, 6);
  EXPECT_TRUE(joined.knots[1].dual_valued);
  EXPECT_EQ(joined.knots[1].pre_value, 5);
  EXPECT_EQ(joined.knots[1].next, KnotInterpolation::kLinear);
}

TEST(SplinePiecesTest, JoinedSplinesAreRoundedAsInFiles) {
  Spline left = Roof(ExtrapolationMode::kLinear, ExtrapolationMode::kHeld);
  left.value_type = ValueType::kFloat;
  left.curve_type = CurveType::kHermite;
  left.knots[2].value = 0.1;
  left.knots[1].next = KnotInterpolation::kValueBlock;
  left.knots[1].post_tangent_width = left.knots[2].pre_tangent_width = 1;
  left.knots[1].post_tangent_slope = left.knots[2].pre_tangent_slope = 1;
  Spline right = ConstantSpline(left, 20, 30, 0.1);
  right.post.mode = ExtrapolationMode::kSloped;
  const Spline joined = JoinSplines({left, right});
  EXPECT_EQ(joined.curve_type, CurveType::kBezier);
  EXPECT_EQ(joined.pre.mode, ExtrapolationMode::kLinear);
  EXPECT_EQ(joined.post.mode, ExtrapolationMode::kSloped);
  ASSERT_EQ(joined.knots.size(), 4u);
  EXPECT_EQ(joined.knots[2].value, 0.1f) << "rounded";
  EXPECT_FALSE(joined.knots[2].dual_valued);
  EXPECT_EQ(joined.knots[1].post_tangent_width, 0) << "beside a block";
  EXPECT_EQ(joined.knots[1].post_tangent_slope, 0);
  EXPECT_EQ(joined.knots[2].pre_tangent_width, 0);
  EXPECT_EQ(JoinSplines({left}).curve_type, CurveType::kHermite)
      << "a single piece keeps its curve type";
  Spline half = left;
  half.value_type = ValueType::kHalf;
  EXPECT_EQ(JoinSplines({half}).knots[2].value, static_cast<float>(Half(0.1f)));
  Spline wide = left;
  wide.value_type = ValueType::kDouble;
  EXPECT_EQ(JoinSplines({wide}).knots[2].value, 0.1);
  // Tangents that together are longer than their segment are shortened.
  Spline regressive = Wave();
  regressive.knots[0].post_tangent_width = 9;
  const Spline shortened = JoinSplines({regressive});
  EXPECT_LE(shortened.knots[0].post_tangent_width, 4 * 4 / 3.0);
}

TEST(SplinePiecesTest, ConstantsHaveKnotsAtFiniteEnds) {
  static constexpr struct {
    double begin;
    double end;
    size_t knots;
  } kCases[] = {{1, 3, 2}, {-kInfinity, 3, 1}, {1, kInfinity, 1}, {-kInfinity, kInfinity, 0}};
  for (const auto& c : kCases) {
    for (const std::optional<double> value : {std::optional<double>(5), std::optional<double>()}) {
      const Spline spline = ConstantSpline(Wave(), c.begin, c.end, value);
      ASSERT_EQ(spline.knots.size(), c.knots) << c.begin << " " << c.end;
      const auto mode = value ? ExtrapolationMode::kHeld : ExtrapolationMode::kValueBlock;
      const auto inside = value ? KnotInterpolation::kHeld : KnotInterpolation::kValueBlock;
      EXPECT_EQ(spline.pre.mode, c.begin == -kInfinity ? mode : ExtrapolationMode::kHeld);
      EXPECT_EQ(spline.post.mode, c.end == kInfinity ? mode : ExtrapolationMode::kHeld);
      for (const SplineKnot& knot : spline.knots) EXPECT_EQ(knot.value, value.value_or(0));
      if (c.begin == 1) {
        EXPECT_EQ(spline.knots.front().time, 1);
        EXPECT_EQ(spline.knots.front().next, inside);
      }
      EXPECT_TRUE(c.end != 3 || spline.knots.back().time == 3);
    }
  }
}

TEST(SplinePiecesTest, MappingForwardsIsRetiming) {
  EXPECT_EQ(MapSpline(Wave(), {3, 2}), RetimeSpline(Wave(), {3, 2}));
}

TEST(SplinePiecesTest, ReversedInnerLoopsBecomeKnots) {
  Spline spline = Roof(ExtrapolationMode::kSloped, ExtrapolationMode::kHeld);
  spline.loop = SplineLoopParams{0, 10, 0, 2, 1};
  const Spline reversed = MapSpline(spline, {0, -1});
  EXPECT_FALSE(reversed.loop);
  EXPECT_EQ(reversed.pre.mode, ExtrapolationMode::kHeld);
  EXPECT_EQ(reversed.post.mode, ExtrapolationMode::kSloped);
  EXPECT_EQ(reversed.post.slope, -2);
  for (double t = 1; t < 29; t += 2.5) {
    EXPECT_NEAR(*EvaluateSpline(reversed, -t), *EvaluateSpline(spline, t), 1e-9) << t;
  }
}

TEST(SplinePiecesTest, ConstantsWithoutAValueAreBlocks) {
  const Spline blocked = ConstantSpline(Wave(), 1, kInfinity, std::nullopt);
  EXPECT_FALSE(EvaluateSpline(blocked, 3));
  EXPECT_EQ(blocked.post.mode, ExtrapolationMode::kValueBlock);
}

}  // namespace
}  // namespace stagedoor
