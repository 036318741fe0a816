#include "scene/values/spline_evaluation.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

Spline ReadSpline(std::istream& in) {
  Spline spline;
  SplineLoop loop;
  int curve, pre, post, has_loop;
  in >> curve >> pre >> spline.pre.slope >> post >> spline.post.slope >> has_loop >>
      loop.proto_start >> loop.proto_end >> loop.pre_loops >> loop.post_loops >> loop.value_offset;
  spline.curve_type = static_cast<CurveType>(curve);
  spline.pre.mode = static_cast<ExtrapolationMode>(pre);
  spline.post.mode = static_cast<ExtrapolationMode>(post);
  if (has_loop) spline.loop = loop;
  return spline;
}

SplineKnot ReadKnot(std::istream& in) {
  SplineKnot k;
  int next;
  in >> k.time >> k.value >> k.dual_valued >> k.pre_value >> next >> k.pre_tangent_width >>
      k.pre_tangent_slope >> k.post_tangent_width >> k.post_tangent_slope;
  k.next = static_cast<KnotInterpolation>(next);
  return k;
}

void ExpectValue(const std::string& expected, std::optional<double> actual) {
  if (expected == "none") {
    EXPECT_FALSE(actual.has_value()) << *actual;
    return;
  }
  ASSERT_TRUE(actual.has_value());
  const double number = std::strtod(expected.c_str(), nullptr);
  EXPECT_NEAR(*actual, number, 1e-9 * std::max(1.0, std::abs(number)));
}

// testdata/splines.txt is written by tests/tools/make_spline_golden.py from OpenUSD's answers.
TEST(SplineEvaluationTest, EqualsOpenUsd) {
  const char* other = std::getenv("SPLINE_GOLDEN");
  std::ifstream in(other ? other : "scene/values/testdata/splines.txt");
  ASSERT_TRUE(in.is_open());
  Spline spline;
  std::string line;
  int evaluated = 0;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "spline") {
      spline = ReadSpline(words);
    } else if (kind == "knot") {
      spline.knots.push_back(ReadKnot(words));
    } else {
      SCOPED_TRACE("line " + std::to_string(number) + ": " + line);
      double time;
      std::string at, pre;
      words >> time >> at >> pre;
      ExpectValue(at, EvaluateSpline(spline, time));
      ExpectValue(pre, EvaluateSpline(spline, time, SplineSide::kPre));
      ++evaluated;
    }
  }
  EXPECT_GT(evaluated, 1000);
}

Spline TwoKnots() {
  Spline spline;
  spline.knots.resize(2);
  spline.knots[0] = {.time = 1,
                     .value = 2,
                     .next = KnotInterpolation::kCurve,
                     .post_tangent_width = 1.3,
                     .post_tangent_slope = 0.5};
  spline.knots[1] = {.time = 5,
                     .value = 8,
                     .next = KnotInterpolation::kCurve,
                     .pre_tangent_width = 1,
                     .pre_tangent_slope = -1};
  return spline;
}

TEST(SplineEvaluationTest, RetimedSplineEqualsOpenUsd) {
  Spline spline = TwoKnots();
  spline.pre = {ExtrapolationMode::kSloped, 2};
  spline.loop = SplineLoop{1, 5, 1, 1, 7};
  const Spline retimed = RetimeSpline(spline, {10, 2});
  EXPECT_NEAR(*EvaluateSpline(retimed, 0), -9, 1e-12);
  EXPECT_NEAR(*EvaluateSpline(retimed, 14), 3.1019940063137987, 1e-9);
  EXPECT_NEAR(*EvaluateSpline(retimed, 25), 12.768674701297929, 1e-9);
}

TEST(SplineEvaluationTest, RetimingMapsTheValuesOfTimes) {
  Spline spline = TwoKnots();
  spline.time_valued = true;
  spline.pre = {ExtrapolationMode::kSloped, 2};
  spline.post = {ExtrapolationMode::kLinear, 0};
  const Spline retimed = RetimeSpline(spline, {10, 2});
  EXPECT_EQ(EvaluateSplineValue(retimed, 12), Value(TimeCode{14}));
  EXPECT_NEAR(*EvaluateSpline(retimed, 14), 16.5824, 1e-4);
  EXPECT_NEAR(*EvaluateSpline(retimed, 0), -10, 1e-12);
  EXPECT_NEAR(*EvaluateSpline(retimed, 22), 24, 1e-12);
}

TEST(SplineEvaluationTest, AutoEaseTangentsFollowFromNeighbours) {
  Spline spline;
  spline.knots.resize(3);
  spline.knots[0] = {.time = 1,
                     .value = 2,
                     .next = KnotInterpolation::kCurve,
                     .post_tangent_width = 1.5,
                     .post_tangent_algorithm = TangentAlgorithm::kAutoEase};
  spline.knots[1] = {.time = 5,
                     .value = 8,
                     .next = KnotInterpolation::kCurve,
                     .pre_tangent_width = 1.5,
                     .pre_tangent_slope = 0.5,
                     .pre_tangent_algorithm = TangentAlgorithm::kCustom,
                     .post_tangent_algorithm = TangentAlgorithm::kAutoEase};
  spline.knots[2] = {.time = 9, .value = 1, .pre_tangent_algorithm = TangentAlgorithm::kAutoEase};
  UpdateTangents(&spline);
  EXPECT_EQ(spline.knots[1].post_tangent_width, 4.0 / 3);
  EXPECT_EQ(spline.knots[1].pre_tangent_width, 1.5);
  EXPECT_NEAR(*EvaluateSpline(spline, 2), 2.869221192885713, 1e-9);
  EXPECT_NEAR(*EvaluateSpline(spline, 8), 2.0937499999999982, 1e-9);
}

TEST(SplineEvaluationTest, HugeLoopCountsCostNothing) {
  Spline spline = TwoKnots();
  spline.loop =
      SplineLoop{1, 5, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::max(), 0};
  spline.pre.mode = spline.post.mode = ExtrapolationMode::kLoopReset;
  EXPECT_NEAR(*EvaluateSpline(spline, 1 + 4e6), 2, 1e-6);
  EXPECT_TRUE(EvaluateSpline(spline, -1e300).has_value());
  EXPECT_TRUE(EvaluateSpline(spline, 1e300).has_value());
}

// Numbers from Ts: a loop of extrapolation may end at an inner knot.
// OpenUSD looks up repeated knots at the time in the prototype, with its rounding.
TEST(SplineEvaluationTest, RepeatedKnotsAreFoundByTheirTimeInThePrototype) {
  Spline spline;
  spline.knots = {{.time = 3, .value = -7}, {.time = 3.28, .value = -5}, {.time = 11, .value = 0}};
  spline.loop = SplineLoop{3.28, 8.28, 0, 1, 1.5};
  EXPECT_EQ(EvaluateSpline(spline, 3.28), -5);
  EXPECT_EQ(EvaluateSpline(spline, 8.28), -5.5);
  EXPECT_EQ(EvaluateSpline(spline, 8.281), -3.5);
  spline.knots = {{.time = 2, .value = -0.25},
                  {.time = 2.72,
                   .value = -4,
                   .pre_value = -7,
                   .dual_valued = true,
                   .next = KnotInterpolation::kLinear},
                  {.time = 6, .value = 0}};
  spline.loop = SplineLoop{2.72, 7.720000000000001, 1, 1, -2};
  EXPECT_EQ(EvaluateSpline(spline, 7.720000000000001, SplineSide::kPre), -6);
}

TEST(SplineEvaluationTest, LoopBoundaryLimitsWhatIsRepeated) {
  Spline spline;
  for (const auto& [time, value] : {std::pair(0, 0), {1, 1}, {3, 5}, {4, 7}}) {
    spline.knots.push_back(
        {.time = double(time), .value = double(value), .next = KnotInterpolation::kLinear});
  }
  spline.post = {ExtrapolationMode::kLoopReset, 0, 1.0};
  EXPECT_EQ(EvaluateSpline(spline, 4), 1);
  EXPECT_EQ(EvaluateSpline(spline, 6.5), 6);
  spline.post.mode = ExtrapolationMode::kLoopRepeat;
  EXPECT_EQ(EvaluateSpline(spline, 10.5), 20);
  spline.post.loop_boundary = 4;
  EXPECT_EQ(EvaluateSpline(spline, 10.5), 7);
  spline.post.loop_boundary = 2;
  EXPECT_EQ(EvaluateSpline(spline, 10.5), std::nullopt);
  EXPECT_EQ(EvaluateSpline(spline, 3.5), 6);
  spline.pre = {ExtrapolationMode::kLoopRepeat, 0, 3.0};
  EXPECT_EQ(EvaluateSpline(spline, -5), -9);
}

// Numbers from a crate that usd-core wrote and read.
TEST(SplineEvaluationTest, RegressiveTangentsOfCurvesAreShortened) {
  Spline spline;
  spline.knots.resize(4);
  spline.knots[0] = {.time = 1, .next = KnotInterpolation::kCurve, .post_tangent_width = 9};
  spline.knots[1] = {.time = 5,
                     .next = KnotInterpolation::kCurve,
                     .pre_tangent_width = 9,
                     .post_tangent_width = 6};
  spline.knots[2] = {.time = 10, .next = KnotInterpolation::kHeld, .pre_tangent_width = 6};
  spline.knots[3] = {.time = 11, .pre_tangent_width = 9};
  ShortenRegressiveTangents(&spline);
  EXPECT_NEAR(spline.knots[0].post_tangent_width, 3.99996, 1e-9);
  EXPECT_NEAR(spline.knots[1].pre_tangent_width, 3.99996, 1e-9);
  EXPECT_NEAR(spline.knots[1].post_tangent_width, 4.99995, 1e-9);
  EXPECT_EQ(spline.knots[3].pre_tangent_width, 9);
}

TEST(SplineEvaluationTest, NoKnotsNoValue) {
  EXPECT_EQ(EvaluateSpline(Spline(), 1), std::nullopt);
  EXPECT_FALSE(SplineMightVary(Spline()));
}

}  // namespace
}  // namespace stagedoor
