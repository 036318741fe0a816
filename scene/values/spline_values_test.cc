// Values of splines on a stage. Expected values were recorded from OpenUSD.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

class SplineValuesTest : public AnswersTest {
 protected:
  // Writes a scene in which /P.x has the given spline.
  void Spline(std::string_view text) {
    Write("root.usda", Concat("def \"P\" {\n double x.spline = {\n", text, "\n }\n}\n"));
  }
  // Values of /P.x rounded to six decimals, because curves are solved numerically.
  std::string Near(const std::vector<double>& times) {
    std::vector<double> values;
    for (const double time : times) {
      const Value value = Find("/P.x").Get(scene_.context(), TimeCode::At(time));
      const double* number = value.Get<double>();
      EXPECT_NE(number, nullptr) << time;
      values.push_back(number ? std::round(*number * 1e6) / 1e6 : 0);
    }
    return Join(values, " ");
  }
};

// ---- Segments

TEST_F(SplineValuesTest, SegmentsAreHeldLinearCurvedOrBlocked) {
  Spline(R"(
    0: 1; post held,
    4: 5; post linear,
    8: 9; post curve (1, 0),
    12: 13; pre (1, 0); post none,
    16: 17,
  )");
  EXPECT_EQ(At("/P.x", {0, 3, 4, 6, 8, 12, 14, 16}), "1 1 5 7 9 - - 17");
  EXPECT_EQ(Pre("/P.x", {0, 4, 6, 8, 12, 14, 16}), "1 1 7 9 13 - -");
}

TEST_F(SplineValuesTest, DualValuedKnotsHaveTwoSides) {
  Spline("0: 1; post linear, 4: 5 & 50; post linear, 8: 9 & 90; post held, 12: 3 & 30,");
  EXPECT_EQ(At("/P.x", {2, 4, 6, 8, 10, 12, 14}), "3 50 29.5 90 90 30 30");
  EXPECT_EQ(Pre("/P.x", {4, 8, 12, 14}), "5 9 90 30");
}

TEST_F(SplineValuesTest, CurvesFollowTheirTangents) {
  Spline("0: 0; post curve (1, 2), 4: 4; pre (1, -2),");
  EXPECT_EQ(Near({1, 2, 3}), "1.919018 3.5 4.460169");
  Spline("0: 0; post curve (2, 1), 4: 4; pre (1, 0.5),");
  EXPECT_EQ(Near({1, 2, 3}), "1.04075 2.145881 3.222034");
}

TEST_F(SplineValuesTest, HermiteCurvesHaveSlopesOnly) {
  Spline("hermite, 0: 0; post curve (2), 4: 4; pre (-2),");
  EXPECT_EQ(Near({1, 2, 3}), "2.125 4 4.875");
}

TEST_F(SplineValuesTest, RegressiveTangentsAreShortened) {
  Spline("0: 0; post curve (8, 1), 4: 4; pre (8, 1),");
  EXPECT_EQ(Near({1, 2, 3}), "0.999999 2 3.000001");
  Spline("0: 0; post curve (0, 1), 4: 4; pre (8, 1),");
  EXPECT_EQ(Near({1, 2, 3}), "1 2 3");
  Spline("0: 0; post curve (8, 1), 4: 4; pre (0, 1),");
  EXPECT_EQ(Near({1, 2, 3}), "1 2 3");
}

// ---- Extrapolation

TEST_F(SplineValuesTest, DefaultExtrapolationIsHeld) {
  Spline("2: 5; post linear, 4: 9,");
  EXPECT_EQ(At("/P.x", {0, 2, 4, 6}), "5 5 9 9");
  EXPECT_EQ(Pre("/P.x", {2, 4, 6}), "5 9 9");
}

TEST_F(SplineValuesTest, ExtrapolationMayBeNone) {
  Spline("pre: none, post: none, 2: 5; post linear, 4: 9,");
  EXPECT_EQ(At("/P.x", {0, 2, 3, 4, 6}), "- 5 7 - -");
  EXPECT_EQ(Pre("/P.x", {2, 3, 4, 6}), "- 7 9 -");
}

TEST_F(SplineValuesTest, SlopedExtrapolationHasItsOwnSlope) {
  Spline("pre: sloped(0.5), post: sloped(-1), 2: 5; post linear, 4: 9,");
  EXPECT_EQ(At("/P.x", {0, 2, 4, 6}), "4 5 9 7");
}

TEST_F(SplineValuesTest, LinearExtrapolationContinuesTheOuterSegments) {
  Spline("pre: linear, post: linear, 2: 5; post linear, 4: 9; post linear, 8: 10,");
  EXPECT_EQ(At("/P.x", {0, 12}), "1 11");
  Spline("pre: linear, post: linear, 2: 5; post held, 4: 9; post held, 8: 10,");
  EXPECT_EQ(At("/P.x", {0, 12}), "5 10");
  Spline("pre: linear, post: linear, 2: 5; post curve (1, 3), 4: 9; pre (1, 7),");
  EXPECT_EQ(At("/P.x", {0, 12}), "-1 65");
  Spline("pre: linear, post: linear, 2: 5,");
  EXPECT_EQ(At("/P.x", {0, 12}), "5 5");
}

TEST_F(SplineValuesTest, LinearExtrapolationOfADualValuedKnotIsFlat) {
  Spline("pre: linear, post: linear, 2: 5 & 6; post linear, 4: 9 & 10,");
  EXPECT_EQ(At("/P.x", {0, 3, 12}), "5 7.5 10");
}

TEST_F(SplineValuesTest, RepeatLoopsAreOffsetToMeet) {
  Spline("pre: loop repeat, post: loop repeat, 0: 1; post linear, 4: 3; post held, 6: 4,");
  EXPECT_EQ(At("/P.x", {-6, -5, -1, 0, 6, 8, 11, 12, 14}), "-2 -1.5 0 1 4 5 6 7 8");
  EXPECT_EQ(Pre("/P.x", {-6, 0, 6, 12}), "-3 0 3 6");
}

TEST_F(SplineValuesTest, ResetLoopsRepeatExactly) {
  Spline("pre: loop reset, post: loop reset, 0: 1; post linear, 4: 3; post held, 6: 4,");
  EXPECT_EQ(At("/P.x", {-6, -5, -1, 0, 6, 8, 11, 12, 14}), "1 1.5 3 1 1 2 3 1 2");
  EXPECT_EQ(Pre("/P.x", {-6, 0, 6, 12}), "3 3 3 3");
}

TEST_F(SplineValuesTest, OscillateLoopsReverseEverySecondTime) {
  Spline("pre: loop oscillate, post: loop oscillate, 0: 1; post linear, 4: 3; post held, 6: 4,");
  EXPECT_EQ(At("/P.x", {-8, -6, -5, -1, 0, 6, 8, 11, 12, 14}), "3 3 3 1.5 1 3 3 1.5 1 2");
  EXPECT_EQ(Pre("/P.x", {-6, 0, 6, 8, 12}), "3 1 3 3 1");
}

TEST_F(SplineValuesTest, ASingleKnotDoesNotLoop) {
  Spline("pre: loop repeat, post: loop repeat, 2: 5 & 6,");
  EXPECT_EQ(At("/P.x", {0, 2, 4}), "5 6 6");
  EXPECT_EQ(Pre("/P.x", {2}), "5");
}

// ---- Inner loops

TEST_F(SplineValuesTest, InnerLoopsRepeatTheirPrototypeWithAnOffset) {
  Spline("loop: (4, 6, 1, 2, 10), 0: 0; post linear, 4: 1; post linear, 5: 2; post held, 20: 7,");
  EXPECT_EQ(At("/P.x", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20}),
            "0 -4.5 -9 -8 1 2 11 12 21 22 31 19 7");
  EXPECT_EQ(Pre("/P.x", {2, 4, 6, 8, 10, 20}), "-9 1 11 21 31 2");
}

TEST_F(SplineValuesTest, InnerLoopsHideTheKnotsTheyCover) {
  Spline(
      "loop: (4, 6, 1, 1, 0), 3: 50; post linear, 4: 1; post linear, 5: 2; post linear, 7: 60; "
      "post linear, 9: 3,");
  EXPECT_EQ(At("/P.x", {2, 3, 4, 5, 6, 7, 8, 9}), "1 2 1 2 1 2 1 3");
}

TEST_F(SplineValuesTest, AnInnerLoopThatDoesNotBeginAtAKnotIsIgnored) {
  Spline("loop: (3, 6, 1, 1, 10), 0: 0; post linear, 4: 1; post linear, 5: 2,");
  EXPECT_EQ(At("/P.x", {0, 2, 4, 5, 8}), "0 0.5 1 2 2");
}

TEST_F(SplineValuesTest, AnInnerLoopWithoutRepetitionsIsIgnored) {
  Spline("loop: (4, 6, 0, 0, 10), 0: 0; post linear, 4: 1; post linear, 5: 2; post linear, 8: 3,");
  EXPECT_EQ(At("/P.x", {4, 5, 6, 8}), "1 2 2.3333333333333335 3");
}

TEST_F(SplineValuesTest, AnEmptyOrReversedInnerLoopIsIgnored) {
  Spline("loop: (4, 4, 1, 1, 10), 0: 0; post linear, 4: 1; post linear, 8: 3,");
  EXPECT_EQ(At("/P.x", {4, 5, 8}), "1 1.5 3");
  Spline("loop: (4, 2, 1, 1, 10), 0: 0; post linear, 4: 1; post linear, 8: 3,");
  EXPECT_EQ(At("/P.x", {4, 5, 8}), "1 1.5 3");
}

TEST_F(SplineValuesTest, ExtrapolationContinuesFromTheEndsOfInnerLoops) {
  Spline(
      "post: linear, pre: linear, loop: (4, 6, 1, 1, 10), 4: 1; post linear, 5: 2; post linear,");
  EXPECT_EQ(At("/P.x", {0, 2, 8, 9}), "-11 -9 21 30");
}

// ---- Types and times

TEST_F(SplineValuesTest, ValuesHaveTheTypeOfTheAttribute) {
  Write("root.usda", R"(
def "P" {
  float f.spline = { 0: 1; post linear, 3: 2, }
  half h.spline = { 0: 1; post linear, 3: 2, }
  timecode t.spline = { 0: 1; post linear, 4: 2, }
}
)");
  EXPECT_EQ(At("/P.f", {1}), "1.3333334");
  EXPECT_EQ(At("/P.h", {1}), "1.33301");
  EXPECT_EQ(At("/P.t", {1}), "1.25");
}

TEST_F(SplineValuesTest, AnEmptySplineHasNoValue) {
  Spline("");
  EXPECT_EQ(At("/P.x", {1}), "-");
}

TEST_F(SplineValuesTest, OffsetsMapTimesTangentsSlopesAndTimeCodes) {
  Write("in.usda", R"(
def "P" {
  double x.spline = {
    pre: sloped(2),
    post: loop repeat,
    loop: (4, 6, 0, 1, 10),
    0: 0; post curve (1, 3),
    4: 1; pre (1, -1); post linear,
  }
  timecode t.spline = { pre: sloped(2), 0: 1; post linear, 4: 2, }
}
)");
  Write("root.usda", "(subLayers = [@./in.usda@ (offset = 10; scale = 2)])\n");
  EXPECT_EQ(Near({8, 10, 12, 14, 16, 18, 20, 22, 24, 30}), "-2 0 1.642525 2 1.736662 1 6 11 16 23");
  EXPECT_EQ(At("/P.t", {8, 10, 14, 18, 20}), "8 12 13 14 14");
}

TEST_F(SplineValuesTest, StageInterpolationDoesNotAffectSplines) {
  Spline("0: 1; post linear, 4: 5,");
  EXPECT_EQ(HeldAt("/P.x", {1, 4}), "2 5");
}

}  // namespace
}  // namespace stagedoor
