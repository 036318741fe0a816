// The clip time that a set shows, by the timing curve of `times`. Expected values come from
// OpenUSD.
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

// The values of the clip are its own time: x at all times, k at integer times, s as a spline, t as
// a time code.
class ClipCurveTest : public AnswersTest {
 protected:
  void Play(std::string_view times, std::string_view active = "(0, 0)") {
    Write("c.usda", R"(
def "C" {
  double x.timeSamples = { -128: -128, 128: 128 }
  double k.timeSamples = { 0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8 }
  double s.spline = { -128: -128; post linear, 128: 128, }
  timecode t.timeSamples = { -128: -128, 128: 128 }
}
)");
    Write("root.usda", Concat(R"(
def "R" (
  clips = { dictionary default = {
    asset[] assetPaths = [@./c.usda@, @./c.usda@]
    string primPath = "/C"
    double2[] active = [)",
                              active, "]\n    double2[] times = [", times, R"(]
  } }
) {
  double x
  double k
  double s
  timecode t
}
)"));
  }
};

TEST_F(ClipCurveTest, EachPieceHasItsOwnSlope) {
  Play("(0, 0), (4, 8), (8, 10)");
  EXPECT_EQ(At("/R.x", {-1, 0, 1, 4, 6, 8, 9}), "0 0 2 8 9 10 10");
  EXPECT_EQ(At("/R.s", {-1, 0, 1, 4, 6, 8, 9}), "0 0 2 8 9 10 10");
  EXPECT_EQ(At("/R.t", {-1, 0, 1, 4, 6, 8, 9}), "0 0 1 4 6 8 8");
  EXPECT_EQ(Samples("/R.x"), "0 4 8");
  EXPECT_EQ(Samples("/R.k"), "0 0.5 1 1.5 2 2.5 3 3.5 4 8");
  EXPECT_EQ(Around("/R.x", 1), "0 4");
  EXPECT_EQ(Around("/R.k", 1.25), "1 1.5");
  EXPECT_EQ(Around("/R.k", 1), "1 1");
  EXPECT_EQ(HeldAt("/R.k", {1, 1.25, 4, 5}), "2 2 8 8");
}

TEST_F(ClipCurveTest, JumpsHaveTwoSides) {
  Play("(0, 0), (4, 4), (4, 1), (8, 5)");
  EXPECT_EQ(At("/R.x", {3, 4, 5}), "3 1 2");
  EXPECT_EQ(Pre("/R.x", {3, 4, 5}), "3 4 2");
  EXPECT_EQ(At("/R.s", {3, 4, 5}), "3 1 2");
  EXPECT_EQ(Pre("/R.s", {3, 4, 5}), "3 4 2");
  EXPECT_EQ(At("/R.t", {3, 4, 5}), "3 4 5");
  EXPECT_EQ(Pre("/R.t", {3, 4, 5}), "3 4 5");
  EXPECT_EQ(Around("/R.x", 4), "4 4");
  EXPECT_EQ(Around("/R.k", 3.5), "3 3.999999995559108");
  EXPECT_EQ(Around("/R.k", 4.5), "4 5");
  EXPECT_EQ(HeldAt("/R.k", {3, 3.5, 4, 4.5}), "3 3 1 1");
  EXPECT_EQ(HeldPre("/R.k", {3, 4, 5}), "2 4 1");
}

TEST_F(ClipCurveTest, FlatPiecesHoldTheClip) {
  Play("(0, 0), (2, 2), (6, 2), (8, 4)");
  EXPECT_EQ(At("/R.x", {1, 2, 4, 6, 7}), "1 2 2 2 3");
  EXPECT_EQ(At("/R.s", {1, 2, 4, 6, 7}), "1 2 2 2 3");
  EXPECT_EQ(At("/R.t", {1, 2, 4, 6, 7}), "1 2 2 2 5");
  EXPECT_EQ(Samples("/R.k"), "0 1 2 6 7 8");
  EXPECT_EQ(Around("/R.k", 3), "2 6");
  EXPECT_EQ(Around("/R.k", 2), "2 2");
  EXPECT_EQ(Around("/R.k", 6), "6 6");
  EXPECT_EQ(HeldAt("/R.k", {2, 4, 6, 7}), "2 2 2 3");
}

TEST_F(ClipCurveTest, CurvesMayRunBackwards) {
  Play("(0, 8), (8, 0)");
  EXPECT_EQ(At("/R.x", {-1, 0, 3, 8, 9}), "8 8 5 0 0");
  EXPECT_EQ(At("/R.s", {-1, 0, 3, 8, 9}), "8 8 5 0 0");
  EXPECT_EQ(At("/R.t", {-1, 0, 3, 8, 9}), "0 0 3 8 8");
  EXPECT_EQ(Pre("/R.k", {0, 3, 8}), "8 5 0");
  EXPECT_EQ(Samples("/R.k"), "0 1 2 3 4 5 6 7 8");
  EXPECT_EQ(Around("/R.k", 2.5), "2 3");
  EXPECT_EQ(HeldAt("/R.k", {2.5, 3}), "6 5");
}

TEST_F(ClipCurveTest, SplineKnotsPlayedBackwardsSwapTheirSides) {
  Play("(0, 8), (8, 0)");
  Write("c.usda", R"(
def "C" {
  double s.spline = { 0: 1; post held, 4: 4 & 40; post held, 8: 8; post held, }
}
)");
  EXPECT_EQ(At("/R.s", {2, 4, 6, 8}), "40 1 1 1");
  EXPECT_EQ(Pre("/R.s", {2, 4, 6, 8}), "40 40 1 1");
  Play("(0, 0), (8, 8)");
  Write("c.usda", R"(
def "C" {
  double s.spline = { 0: 1; post held, 4: 4 & 40; post held, 8: 8; post held, }
}
)");
  EXPECT_EQ(At("/R.s", {2, 4, 6, 8}), "1 40 40 8");
  EXPECT_EQ(Pre("/R.s", {2, 4, 6, 8}), "1 1 40 40");
}

TEST_F(ClipCurveTest, CurvesMayReverseTheirDirection) {
  Play("(0, 0), (4, 4), (8, 0)");
  EXPECT_EQ(At("/R.x", {2, 4, 6}), "2 4 2");
  EXPECT_EQ(At("/R.s", {2, 4, 6}), "2 4 2");
  EXPECT_EQ(At("/R.t", {2, 4, 6}), "2 4 6");
  EXPECT_EQ(Samples("/R.k"), "0 1 2 3 4 5 6 7 8");
  EXPECT_EQ(Around("/R.k", 3.5), "3 4");
  EXPECT_EQ(Around("/R.k", 4), "4 4");
  EXPECT_EQ(Around("/R.k", 4.5), "4 5");
}

TEST_F(ClipCurveTest, JumpsAtTheEndsOfTheCurve) {
  Play("(2, 0), (2, 4), (6, 8), (6, 1)");
  EXPECT_EQ(At("/R.x", {0, 2, 4, 6, 8}), "4 4 6 1 1");
  EXPECT_EQ(Pre("/R.x", {2, 4, 6, 8}), "4 6 1 1");
  EXPECT_EQ(At("/R.s", {0, 2, 4, 6, 8}), "4 4 6 1 1");
  EXPECT_EQ(Samples("/R.x"), "0 2 5.999999995559108 6");
  EXPECT_EQ(HeldPre("/R.k", {2, 4, 6, 8}), "4 5 1 1");
}

TEST_F(ClipCurveTest, CurvesOfOneKnotHoldIt) {
  Play("(3, 5)");
  EXPECT_EQ(At("/R.x", {0, 3, 9}), "5 5 5");
  EXPECT_EQ(At("/R.s", {0, 3, 9}), "5 5 5");
  EXPECT_EQ(At("/R.t", {0, 3, 9}), "3 3 3");
  EXPECT_EQ(Samples("/R.k"), "0 3");
}

TEST_F(ClipCurveTest, AllClipsOfASetShareItsCurve) {
  Play("(0, 0), (4, 4), (4, 0), (8, 4)", "(0, 0), (4, 1)");
  EXPECT_EQ(At("/R.k", {2, 3.5, 4, 5}), "2 3.5 0 1");
  EXPECT_EQ(Pre("/R.k", {4}), "4");
  EXPECT_EQ(Samples("/R.k"), "0 1 2 3 3.999999995559108 4 5 6 7 8");
  EXPECT_EQ(SamplesIn("/R.k", 3, 5), "3 3.999999995559108 4 5");
  EXPECT_EQ(Around("/R.k", 4), "4 4");
}

TEST_F(ClipCurveTest, KnotsOutsideTheActiveRangeAreIgnored) {
  Play("(0, 0), (3, 6), (8, 8)", "(0, 0), (5, 1)");
  EXPECT_EQ(Samples("/R.x"), "0 3 5 8");
  EXPECT_EQ(Around("/R.x", 4), "3 5");
  EXPECT_EQ(Around("/R.x", 6), "5 8");
  EXPECT_EQ(Around("/R.x", 9), "8 8");
  EXPECT_EQ(SamplesIn("/R.x", 4, 6), "5");
}

TEST_F(ClipCurveTest, SamplesTheCurveDoesNotReachAreNotListed) {
  Play("(0, 2.25), (4, 4.25)");
  EXPECT_EQ(Samples("/R.k"), "0 1.5 3.5 4");
  EXPECT_EQ(Around("/R.k", 0.5), "0 1.5");
  EXPECT_EQ(Around("/R.k", 2), "1.5 3.5");
  EXPECT_EQ(Around("/R.k", 3.9), "3.5 4");
}

}  // namespace
}  // namespace stagedoor
