#include "scene/values/spline_knot_times.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "scene/values/spline_evaluation.h"

namespace stagedoor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Knots at 0, 4 and 10 that curves connect.
Spline Curve() {
  Spline spline;
  for (const double time : {0., 4., 10.}) {
    spline.knots.push_back({.time = time, .value = time, .next = KnotInterpolation::kLinear});
  }
  return spline;
}

// "0 4! 10": the times, with a mark after those of jumps; "too many" if there are more than `most`.
std::string Times(const Spline& spline, double begin, double end, size_t most = 100) {
  const auto times = KnotTimesIn(spline, begin, end, most);
  if (!times) return "too many";
  std::string text;
  for (const SplineKnotTime& knot : *times) {
    text += (text.empty() ? "" : " ") + std::to_string(static_cast<int>(knot.time));
    if (knot.jump) text += '!';
  }
  return text;
}

TEST(SplineKnotTimesTest, BothEndsBelongToTheInterval) {
  EXPECT_EQ(Times(Curve(), -kInfinity, kInfinity), "0 4 10");
  EXPECT_EQ(Times(Curve(), 0, 4), "0 4");
  EXPECT_EQ(Times(Curve(), 1, 3), "");
  EXPECT_EQ(Times(Curve(), 4, 4), "4");
  EXPECT_EQ(Times(Curve(), 11, 20), "");
  EXPECT_EQ(Times(Curve(), 10, 0), "") << "begin > end";
  EXPECT_EQ(Times(Spline(), 0, 4), "");
}

TEST(SplineKnotTimesTest, FindsWhereValuesJump) {
  Spline spline = Curve();
  spline.knots[1].dual_valued = true;
  EXPECT_EQ(Times(spline, 0, 10), "0 4! 10");
  spline = Curve();
  spline.knots[1].next = KnotInterpolation::kHeld;
  EXPECT_EQ(Times(spline, 0, 10), "0 4 10!") << "the held value ends here";
  spline.knots[1].next = KnotInterpolation::kValueBlock;
  EXPECT_EQ(Times(spline, 0, 10), "0 4! 10!");
  spline = Curve();
  spline.pre.mode = ExtrapolationMode::kValueBlock;
  EXPECT_EQ(Times(spline, 0, 10), "0! 4 10");
  spline = Curve();
  spline.post.mode = ExtrapolationMode::kValueBlock;
  EXPECT_EQ(Times(spline, 0, 10), "0 4 10!");
}

TEST(SplineKnotTimesTest, InnerLoopsRepeatKnots) {
  Spline spline = Curve();
  spline.loop = SplineLoopParams{.proto_start = 0, .proto_end = 5, .pre_loops = 1, .post_loops = 1};
  EXPECT_EQ(Times(spline, -kInfinity, kInfinity), "-5 -1 0 4 5 9 10");
}

TEST(SplineKnotTimesTest, LoopsRepeatKnotsOutside) {
  Spline spline = Curve();
  spline.post.mode = ExtrapolationMode::kLoopRepeat;
  EXPECT_EQ(Times(spline, 4, 30), "4 10! 14 20! 24 30!");
  EXPECT_EQ(Times(spline, 15, 19), "");
  EXPECT_EQ(Times(spline, 1e6 + 1, 1e6 + 20), "1000004 1000010! 1000014 1000020!")
      << "without a walk from the first repetition on";
  EXPECT_EQ(Times(spline, -20, -10), "") << "not before the spline";
  spline.post.mode = ExtrapolationMode::kLoopOscillate;
  EXPECT_EQ(Times(spline, 10, 40), "10! 16 20! 24 30! 36 40!");
  spline.pre.mode = ExtrapolationMode::kLoopReset;
  EXPECT_EQ(Times(spline, -20, 0), "-20! -16 -10! -6 0!");
  spline.pre.mode = ExtrapolationMode::kLoopOscillate;
  EXPECT_EQ(Times(spline, -20, 0), "-20! -16 -10! -4 0!") << "the first repetition is mirrored";
}

TEST(SplineKnotTimesTest, AHeldSegmentPlayedBackwardsJumpsWhereItBegins) {
  Spline spline = Curve();
  spline.knots[1].next = KnotInterpolation::kHeld;
  spline.post.mode = ExtrapolationMode::kLoopOscillate;
  EXPECT_EQ(Times(spline, 4, 24), "4 10! 16! 20! 24");
}

TEST(SplineKnotTimesTest, TellsWhichKnotsLoopsRepeat) {
  Spline spline = Curve();
  spline.post.mode = ExtrapolationMode::kLoopRepeat;
  std::string repeated;
  const auto times = KnotTimesIn(spline, 0, 14, 10);
  for (const SplineKnotTime& knot : *times) repeated += knot.repeated ? '1' : '0';
  EXPECT_EQ(repeated, "0011") << "the last knot is also the first of a repetition";
}

TEST(SplineKnotTimesTest, ALoopBoundaryLimitsWhatIsRepeated) {
  Spline spline = Curve();
  spline.post.mode = ExtrapolationMode::kLoopRepeat;
  spline.post.loop_boundary = 4;
  EXPECT_EQ(Times(spline, 10, 25), "10! 16! 22!");
  spline.pre.mode = ExtrapolationMode::kLoopRepeat;
  spline.pre.loop_boundary = 4;
  EXPECT_EQ(Times(spline, -9, 0), "-8! -4! 0!");
  spline.pre.loop_boundary = 5;
  EXPECT_EQ(Times(spline, -9, 0), "0!") << "not the time of a knot: no values before";
}

TEST(SplineKnotTimesTest, LimitsTheNumberOfKnots) {
  Spline spline = Curve();
  EXPECT_EQ(Times(spline, 0, 10, 3), "0 4 10");
  EXPECT_EQ(Times(spline, 0, 10, 2), "too many");
  spline.post.mode = ExtrapolationMode::kLoopRepeat;
  EXPECT_EQ(Times(spline, 0, 20, 5), "0 4 10! 14 20!");
  EXPECT_EQ(Times(spline, 0, 24, 5), "too many");
  EXPECT_EQ(Times(spline, 0, 1e300), "too many");
  EXPECT_EQ(Times(spline, 0, kInfinity), "too many") << "an endless loop";
  EXPECT_EQ(Times(spline, -kInfinity, 10), "0 4 10!");
}

}  // namespace
}  // namespace stagedoor
