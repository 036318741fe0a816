#include "scene/values/spline_evaluation.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "scene/values/time_code_value.h"

namespace stagedoor {
namespace {

Spline ReadSpline(std::istream& in) {
  Spline spline;
  SplineLoopParams loop;
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

// testdata/splines.txt is recorded from OpenUSD by tests/tools/make_spline_golden.py.
TEST(SplineEvaluationTest, MatchesOpenUsd) {
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

TEST(SplineEvaluationTest, RetimedSplinesMatchOpenUsd) {
  Spline spline = TwoKnots();
  spline.pre = {ExtrapolationMode::kSloped, 2};
  spline.loop = SplineLoopParams{1, 5, 1, 1, 7};
  const Spline retimed = RetimeSpline(spline, {10, 2});
  EXPECT_NEAR(*EvaluateSpline(retimed, 0), -9, 1e-12);
  EXPECT_NEAR(*EvaluateSpline(retimed, 14), 3.1019940063137987, 1e-9);
  EXPECT_NEAR(*EvaluateSpline(retimed, 25), 12.768674701297929, 1e-9);
}

TEST(SplineEvaluationTest, RetimingMapsTimeCodeValues) {
  Spline spline = TwoKnots();
  spline.time_valued = true;
  spline.pre = {ExtrapolationMode::kSloped, 2};
  spline.post = {ExtrapolationMode::kLinear, 0};
  const Spline retimed = RetimeSpline(spline, {10, 2});
  EXPECT_EQ(EvaluateSplineValue(retimed, 12), Value(TimeCodeValue{14}));
  EXPECT_NEAR(*EvaluateSpline(retimed, 14), 16.5824, 1e-4);
  EXPECT_NEAR(*EvaluateSpline(retimed, 0), -10, 1e-12);
  EXPECT_NEAR(*EvaluateSpline(retimed, 22), 24, 1e-12);
}

TEST(SplineEvaluationTest, AutoEaseTangentsDependOnNeighbors) {
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
  spline.loop = SplineLoopParams{1, 5, std::numeric_limits<int32_t>::max(),
                                 std::numeric_limits<int32_t>::max(), 0};
  spline.pre.mode = spline.post.mode = ExtrapolationMode::kLoopReset;
  EXPECT_NEAR(*EvaluateSpline(spline, 1 + 4e6), 2, 1e-6);
  EXPECT_TRUE(EvaluateSpline(spline, -1e300).has_value());
  EXPECT_TRUE(EvaluateSpline(spline, 1e300).has_value());
}

// OpenUSD looks up repeated knots by their time in the prototype, with its rounding.
TEST(SplineEvaluationTest, RepeatedKnotsAreFoundByTheirTimeInThePrototype) {
  Spline spline;
  spline.knots = {{.time = 3, .value = -7}, {.time = 3.28, .value = -5}, {.time = 11, .value = 0}};
  spline.loop = SplineLoopParams{3.28, 8.28, 0, 1, 1.5};
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
  spline.loop = SplineLoopParams{2.72, 7.720000000000001, 1, 1, -2};
  EXPECT_EQ(EvaluateSpline(spline, 7.720000000000001, SplineSide::kPre), -6);
}

// Recorded from OpenUSD: an extrapolated loop may end at an inner knot.
TEST(SplineEvaluationTest, LoopBoundariesLimitTheRepeatedPart) {
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

// Recorded from a crate that usd-core wrote and read.
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
  AdjustRegressiveTangents(&spline);
  EXPECT_NEAR(spline.knots[0].post_tangent_width, 3.99996, 1e-9);
  EXPECT_NEAR(spline.knots[1].pre_tangent_width, 3.99996, 1e-9);
  EXPECT_NEAR(spline.knots[1].post_tangent_width, 4.99995, 1e-9);
  EXPECT_EQ(spline.knots[3].pre_tangent_width, 9);
}

TEST(SplineEvaluationTest, SplinesWithoutKnotsHaveNoValue) {
  EXPECT_EQ(EvaluateSpline(Spline(), 1), std::nullopt);
}

TEST(SplineEvaluationTest, RetimingMapsEveryNumber) {
  Spline spline = TwoKnots();
  spline.pre = {ExtrapolationMode::kSloped, 2, 1.0};
  spline.post = {ExtrapolationMode::kSloped, 6, 5.0};
  spline.loop = SplineLoopParams{1, 5, 2, 3, 7};
  spline.knots[1].dual_valued = true;
  spline.knots[1].pre_value = 3;
  // Splines of numbers: times are mapped and slopes are scaled.
  Spline expected = spline;
  expected.pre = {ExtrapolationMode::kSloped, 1, 12.0};
  expected.post = {ExtrapolationMode::kSloped, 3, 20.0};
  expected.loop = SplineLoopParams{12, 20, 2, 3, 7};
  expected.knots[0].time = 12;
  expected.knots[0].post_tangent_width = 2.6;
  expected.knots[0].post_tangent_slope = 0.25;
  expected.knots[1].time = 20;
  expected.knots[1].pre_tangent_width = 2;
  expected.knots[1].pre_tangent_slope = -0.5;
  EXPECT_EQ(RetimeSpline(spline, {10, 2}), expected);
  // Splines of time codes: values are mapped as well, so slopes stay.
  spline.time_valued = expected.time_valued = true;
  expected.pre.slope = 2;
  expected.post.slope = 6;
  expected.loop->value_offset = 14;
  expected.knots[0].value = 14;
  expected.knots[0].pre_value = 10;
  expected.knots[0].post_tangent_slope = 0.5;
  expected.knots[1].value = 26;
  expected.knots[1].pre_value = 16;
  expected.knots[1].pre_tangent_slope = -1;
  EXPECT_EQ(RetimeSpline(spline, {10, 2}), expected);
  // Splines of durations: values are only scaled.
  spline.value_type = expected.value_type = ValueType::kDuration;
  expected.knots[0].value = 4;
  expected.knots[0].pre_value = 0;
  expected.knots[1].value = 16;
  expected.knots[1].pre_value = 6;
  EXPECT_EQ(RetimeSpline(spline, {10, 2}), expected);
}

// Checks the tangents of the middle one of three knots.
TEST(SplineEvaluationTest, AutoEaseFavorsTheNearerNeighborAndIsCapped) {
  static constexpr struct {
    double times[3];
    double values[3];
    double slope;
  } kCases[] = {
      {{0, 1, 2}, {0, 1, 3}, 1.5},
      {{0, 3, 9}, {0, 3, 15}, 1 + 11 / 27.0},
      {{0, 6, 9}, {0, 6, 12}, 1 + 16 / 27.0},
      {{0, 1, 2}, {0, 1, 11}, 3},  // three times the flatter slope
      {{0, 1, 2}, {0, 10, 11}, 3},
      {{0, 1, 2}, {0, -1, -3}, -1.5},
      {{0, 1, 2}, {0, -1, -11}, -3},
      {{0, 1, 2}, {0, 1, 0}, 0},  // a peak
      {{0, 1, 2}, {0, -1, 0}, 0},
      {{0, 1, 2}, {0, 0, 1}, 0},
      {{0, 1, 2}, {0, 1, 1}, 0},
  };
  for (const auto& c : kCases) {
    Spline spline;
    spline.knots.resize(3);
    for (int i = 0; i < 3; ++i) {
      spline.knots[i].time = c.times[i];
      spline.knots[i].value = c.values[i];
      spline.knots[i].next = KnotInterpolation::kCurve;
    }
    SplineKnot& middle = spline.knots[1];
    middle.pre_tangent_algorithm = middle.post_tangent_algorithm = TangentAlgorithm::kAutoEase;
    UpdateTangents(&spline);
    SCOPED_TRACE(testing::Message() << c.times[1] << ": " << c.values[1] << ", " << c.values[2]);
    EXPECT_NEAR(middle.pre_tangent_slope, c.slope, 1e-12);
    EXPECT_NEAR(middle.post_tangent_slope, c.slope, 1e-12);
    EXPECT_NEAR(middle.pre_tangent_width, (c.times[1] - c.times[0]) / 3, 1e-12);
    EXPECT_NEAR(middle.post_tangent_width, (c.times[2] - c.times[1]) / 3, 1e-12);
    // A knot at a discontinuity has flat tangents.
    spline.knots[0].next = KnotInterpolation::kValueBlock;
    UpdateTangents(&spline);
    EXPECT_EQ(middle.post_tangent_slope, 0);
    spline.knots[0].next = KnotInterpolation::kCurve;
    middle.dual_valued = true;
    middle.pre_value = middle.value;
    UpdateTangents(&spline);
    EXPECT_EQ(middle.post_tangent_slope, 0);
  }
}

TEST(SplineEvaluationTest, HermiteTangentsAreAThirdOfTheirSegment) {
  Spline spline;
  spline.curve_type = CurveType::kHermite;
  spline.knots.resize(3);
  for (int i = 0; i < 3; ++i) {
    spline.knots[i].time = 3.0 * i * i;
    spline.knots[i].pre_tangent_width = spline.knots[i].post_tangent_width = 100;
  }
  UpdateTangents(&spline);
  EXPECT_EQ(spline.knots[0].pre_tangent_width, 0);
  EXPECT_EQ(spline.knots[0].post_tangent_width, 1);
  EXPECT_EQ(spline.knots[1].pre_tangent_width, 1);
  EXPECT_EQ(spline.knots[1].post_tangent_width, 3);
  EXPECT_EQ(spline.knots[2].pre_tangent_width, 3);
  EXPECT_EQ(spline.knots[2].post_tangent_width, 0);
}

TEST(SplineEvaluationTest, AutoEaseIsRoundedToTheType) {
  Spline spline;
  spline.knots.resize(3);
  for (int i = 0; i < 3; ++i) spline.knots[i] = {.time = 3.0 * i, .value = 0.1 * i * i};
  spline.knots[1].post_tangent_algorithm = TangentAlgorithm::kAutoEase;
  UpdateTangents(&spline);
  const double exact = spline.knots[1].post_tangent_slope;
  EXPECT_NEAR(exact, 0.2 / 3, 1e-12);
  spline.value_type = ValueType::kFloat;
  UpdateTangents(&spline);
  EXPECT_EQ(spline.knots[1].post_tangent_slope, static_cast<double>(static_cast<float>(exact)));
  EXPECT_NE(spline.knots[1].post_tangent_slope, exact);
}

// As in OpenUSD, which clamps the slope and keeps the height of the tangent.
TEST(SplineEvaluationTest, AutoEaseOfTooSteepCurvesIsWider) {
  for (const double sign : {1.0, -1.0}) {
    Spline spline;
    spline.value_type = ValueType::kHalf;
    spline.knots.resize(3);
    for (int i = 0; i < 3; ++i) spline.knots[i] = {.time = i * 0.001, .value = sign * 300 * i};
    SplineKnot& middle = spline.knots[1];
    middle.pre_tangent_algorithm = middle.post_tangent_algorithm = TangentAlgorithm::kAutoEase;
    UpdateTangents(&spline);
    EXPECT_EQ(middle.pre_tangent_slope, sign * 65504);
    EXPECT_EQ(middle.post_tangent_slope, sign * 65504);
    EXPECT_NEAR(middle.pre_tangent_width, 0.0015266243282852955, 1e-15);
    EXPECT_NEAR(middle.post_tangent_width, 0.0015266243282852955, 1e-15);
    spline.value_type = ValueType::kFloat;
    UpdateTangents(&spline);
    EXPECT_EQ(middle.pre_tangent_slope, sign * 300000);
    EXPECT_NEAR(middle.pre_tangent_width, 0.001 / 3, 1e-15);
  }
}

TEST(SplineEvaluationTest, UnrolledLoopsKeepTheValues) {
  Spline spline;
  spline.knots.resize(4);
  spline.knots[0] = {.time = 0, .value = 1, .next = KnotInterpolation::kLinear};
  spline.knots[1] = {.time = 4,
                     .value = 3,
                     .pre_value = 2,
                     .dual_valued = true,
                     .next = KnotInterpolation::kLinear};
  spline.knots[2] = {.time = 10, .value = 8, .next = KnotInterpolation::kLinear};
  spline.knots[3] = {.time = 40, .value = 9};
  spline.loop = SplineLoopParams{0, 10, 2, 1, 5};
  const auto knots = BakeInnerLoops(spline, 1000);
  ASSERT_TRUE(knots);
  Spline unrolled = spline;
  unrolled.loop.reset();
  unrolled.knots = *knots;
  for (double t = -25; t < 45; t += 0.75) {
    EXPECT_NEAR(*EvaluateSpline(unrolled, t), *EvaluateSpline(spline, t), 1e-12) << t;
  }
  EXPECT_EQ((*knots)[0].time, -20);
  EXPECT_EQ((*knots)[0].value, 1 - 10);
  EXPECT_EQ((*knots)[1].time, -16);
  EXPECT_EQ((*knots)[1].value, 3 - 10);
  EXPECT_EQ((*knots)[1].pre_value, 2 - 10);
  EXPECT_TRUE(BakeInnerLoops(spline, knots->size()));
  EXPECT_FALSE(BakeInnerLoops(spline, knots->size() - 1));
}

TEST(SplineEvaluationTest, SplitSegmentsKeepTheValues) {
  for (const CurveType curve : {CurveType::kBezier, CurveType::kHermite}) {
    for (const KnotInterpolation next :
         {KnotInterpolation::kCurve, KnotInterpolation::kLinear, KnotInterpolation::kHeld}) {
      Spline spline = TwoKnots();
      spline.curve_type = curve;
      spline.knots[0].next = next;
      if (curve == CurveType::kHermite) SetHermiteWidths(&spline);
      for (const double time : {1.5, 3.0, 4.75}) {
        Spline split = spline;
        split.curve_type = CurveType::kBezier;
        const SplineKnot middle = SplitSegment(spline, time, &split.knots[0], &split.knots[1]);
        EXPECT_EQ(middle.time, time);
        EXPECT_EQ(middle.next, next);
        split.knots.insert(split.knots.begin() + 1, middle);
        for (double t = 1; t < 5; t += 0.25) {
          EXPECT_NEAR(*EvaluateSpline(split, t), *EvaluateSpline(spline, t), 1e-9)
              << static_cast<int>(curve) << " " << static_cast<int>(next) << " " << time << " at "
              << t;
        }
      }
    }
  }
}

TEST(SplineEvaluationTest, ValuesHaveTheTypeOfTheSpline) {
  Spline spline;
  spline.knots.push_back({.time = 0, .value = 0.1});
  const auto value = [&](ValueType type, bool time) {
    spline.value_type = type;
    spline.time_valued = time;
    return *EvaluateSplineValue(spline, 0);
  };
  EXPECT_EQ(value(ValueType::kDouble, false), Value(0.1));
  EXPECT_EQ(value(ValueType::kFloat, false), Value(0.1f));
  EXPECT_EQ(value(ValueType::kHalf, false), Value(Half(0.1f)));
  EXPECT_EQ(value(ValueType::kDouble, true), Value(TimeCodeValue{0.1}));
  EXPECT_EQ(value(ValueType::kDuration, true), Value(Duration{0.1}));
  for (const double time : {static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
    EXPECT_FALSE(EvaluateSpline(spline, time)) << time;
  }
  EXPECT_FALSE(EvaluateSpline(Spline(), 0));
}

}  // namespace
}  // namespace stagedoor
