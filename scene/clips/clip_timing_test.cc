#include "scene/clips/clip_timing.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

using Pairs = std::vector<Vec2d>;

Vec2d Pair(double a, double b) { return Vec2d{{a, b}}; }

ClipTiming Make(const Pairs& active, const Pairs& times, size_t assets = 8) {
  RequestContext context;
  auto timing = ClipTiming::Make(context, active, times, assets);
  EXPECT_TRUE(timing.ok()) << timing.status();
  return timing.ok() ? *std::move(timing) : ClipTiming();
}

TEST(ClipTimingTest, FirstClipIsActiveBeforeAndLastAfter) {
  const ClipTiming timing = Make({Pair(110, 2), Pair(101, 0), Pair(105, 1)}, {});
  const struct {
    double time;
    bool pre;
    uint32_t asset;
  } cases[] = {{-1e9, false, 0}, {101, false, 0}, {104.9, false, 0}, {105, false, 1},
               {105, true, 0},   {110, false, 2}, {110, true, 1},    {1e9, false, 2}};
  for (const auto& c : cases) {
    EXPECT_EQ(timing.asset(timing.ActiveAt(c.time, c.pre)), c.asset) << c.time << c.pre;
  }
}

TEST(ClipTimingTest, FindsTheActiveClipAmongUnevenStarts) {
  Pairs active;
  for (int i = 0; i < 100; ++i) active.push_back(Pair(i * i, i));
  const ClipTiming timing = Make(active, {}, 100);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(timing.ActiveAt(i * i), static_cast<size_t>(i));
    EXPECT_EQ(timing.ActiveAt(i * i + 0.5), static_cast<size_t>(i));
  }
}

TEST(ClipTimingTest, MapsTimesLinearlyAndHoldsTheEnds) {
  const ClipTiming timing = Make({Pair(0, 0)}, {Pair(10, 15), Pair(0, 5)});
  EXPECT_EQ(timing.ToClip(3), 8);
  EXPECT_EQ(timing.ToClip(-4), 5);
  EXPECT_EQ(timing.ToClip(99), 15);
  EXPECT_EQ(Make({Pair(0, 0)}, {}).ToClip(7.5), 7.5);
}

TEST(ClipTimingTest, JumpsUseTheLeftEntryBeforeAndTheRightEntryAtTheirTime) {
  const ClipTiming timing =
      Make({Pair(0, 0)}, {Pair(0, 0), Pair(10, 10), Pair(10, 25), Pair(20, 35)});
  EXPECT_EQ(timing.ToClip(3), 3);
  EXPECT_EQ(timing.ToClip(10), 25);
  EXPECT_EQ(timing.ToClip(10, /*pre=*/true), 10);
  EXPECT_EQ(timing.ToClip(12), 27);
  EXPECT_TRUE(timing.JumpsAt(10));
  EXPECT_FALSE(timing.JumpsAt(20));
  EXPECT_EQ(timing.KnotsAround(5)->second, 10 - ClipTiming::kJumpStep);
}

TEST(ClipTimingTest, RetimesTimeCodesByTheirPieceOfTheCurve) {
  const ClipTiming timing = Make({Pair(1, 0)}, {Pair(1, 1), Pair(9, 5)});
  ClipTiming::Segment segment;
  EXPECT_EQ(timing.ToClip(3, false, &segment), 2);
  EXPECT_EQ(segment.Retime(Value(TimeCodeValue{2})), Value(TimeCodeValue{3}));
  EXPECT_EQ(segment.Retime(Value(Array<TimeCodeValue>{TimeCodeValue{1}, TimeCodeValue{2}})),
            Value(Array<TimeCodeValue>{TimeCodeValue{1}, TimeCodeValue{3}}));
  EXPECT_EQ(segment.Retime(Value(Duration{2})), Value(Duration{4}));
  EXPECT_EQ(segment.Retime(Value(2.0)), Value(2.0));
}

constexpr double kStep = ClipTiming::kJumpStep;

// Rises to 10, jumps to 25, rises to 35, and jumps to 0 at the end.
ClipTiming Jumping() {
  return Make({Pair(0, 0)}, {Pair(0, 0), Pair(10, 10), Pair(10, 25), Pair(20, 35), Pair(20, 0)});
}

TEST(ClipTimingTest, KnotsAreOrderedAndJumpsHaveTwo) {
  std::vector<std::pair<double, double>> knots;
  std::vector<size_t> jumps;
  const ClipTiming timing = Jumping();
  for (const ClipTiming::Knot& knot : timing.knots()) {
    if (knot.jump) jumps.push_back(knots.size());
    knots.emplace_back(knot.stage, knot.clip);
  }
  EXPECT_EQ(knots,
            (std::vector<std::pair<double, double>>{
                {0, 0}, {0, 0}, {10 - kStep, 10}, {10, 25}, {20 - kStep, 35}, {20, 0}, {20, 0}}));
  EXPECT_EQ(jumps, (std::vector<size_t>{2, 4}));
}

TEST(ClipTimingTest, JumpsAtTheBeginningHaveNoLeftSide) {
  const ClipTiming timing = Make({Pair(0, 0)}, {Pair(0, 3), Pair(0, 5), Pair(10, 15)});
  EXPECT_EQ(timing.knots().size(), 4u);
  EXPECT_EQ(timing.ToClip(0), 5);
  EXPECT_EQ(timing.ToClip(0, /*pre=*/true), 5);
  EXPECT_EQ(timing.ToClip(-1), 5);
  EXPECT_FALSE(timing.JumpsAt(0));
}

TEST(ClipTimingTest, FindsJumps) {
  const ClipTiming timing = Jumping();
  for (const double time : {10.0, 20.0}) EXPECT_TRUE(timing.JumpsAt(time)) << time;
  for (const double time : {-1.0, 0.0, 5.0, 10 - kStep, 10 - kStep / 2, 15.0, 20 - kStep, 21.0}) {
    EXPECT_FALSE(timing.JumpsAt(time)) << time;
  }
  EXPECT_FALSE(Make({Pair(0, 0)}, {}).JumpsAt(0));
}

TEST(ClipTimingTest, FindsTheKnotsAroundATime) {
  const ClipTiming timing = Jumping();
  const struct {
    double time, lower, upper;
  } cases[] = {
      {-1, 0, 0},         {0, 0, 0},
      {4, 0, 10 - kStep}, {10 - kStep, 10 - kStep, 10 - kStep},
      {10, 10, 10},       {15, 10, 20 - kStep},
      {20, 20, 20},       {21, 20, 20},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(timing.KnotsAround(c.time), std::pair(c.lower, c.upper)) << c.time;
  }
  EXPECT_FALSE(Make({Pair(0, 0)}, {}).KnotsAround(0));
}

TEST(ClipTimingTest, MapsOneToOneWhereTheCurveMoves) {
  const ClipTiming timing =
      Make({Pair(0, 0)}, {Pair(0, 5), Pair(10, 5), Pair(20, 15), Pair(20, 30), Pair(30, 40)});
  const std::pair<double, double> cases[] = {{0, 5},   {10, 5},  {15, 10},
                                             {20, 30}, {25, 35}, {30, 40}};
  for (const auto& [time, clip] : cases) EXPECT_EQ(timing.ToClipOneToOne(time), clip) << time;
  EXPECT_NEAR(timing.ToClipOneToOne(20 - kStep).value_or(0), 15, 0.01);
  for (const double time : {-1.0, 3.0, 20 - kStep / 2, 31.0}) {
    EXPECT_FALSE(timing.ToClipOneToOne(time)) << time;
  }
  EXPECT_EQ(Make({Pair(0, 0)}, {}).ToClipOneToOne(7), 7);
}

// `begin` and `end` are the stage times of the piece by which time codes are retimed.
TEST(ClipTimingTest, TimeCodesAreRetimedByAPieceWithASlope) {
  const ClipTiming timing = Jumping();
  const struct {
    double time;
    bool pre;
    double clip, begin, end;
  } cases[] = {
      {-1, false, 0, 0, 10}, {0, false, 0, 0, 10},    {0, true, 0, 0, 10},     {5, false, 5, 0, 10},
      {10, true, 10, 0, 10}, {10, false, 25, 10, 20}, {15, false, 30, 10, 20},
  };
  for (const auto& c : cases) {
    ClipTiming::Segment segment;
    EXPECT_EQ(timing.ToClip(c.time, c.pre, &segment), c.clip) << c.time << c.pre;
    EXPECT_EQ(segment.begin.stage, c.begin) << c.time << c.pre;
    EXPECT_EQ(segment.end.stage, c.end) << c.time << c.pre;
  }
  ClipTiming::Segment within;
  EXPECT_NEAR(timing.ToClip(10 - kStep / 2, /*pre=*/true, &within), 17.5, 0.01);
  EXPECT_NEAR(timing.ToClip(10 - kStep / 2, /*pre=*/true), 17.5, 0.01);
  EXPECT_EQ(within.begin.stage, 10) << "a jump has no slope, but the next piece does";
  EXPECT_EQ(within.end.stage, 20);
  EXPECT_EQ(timing.ToClip(20, /*pre=*/true), 0) << "the right side continues the curve";
  ClipTiming::Segment segment{{1, 2}, {3, 4}};
  EXPECT_EQ(Make({Pair(0, 0)}, {}).ToClip(7, false, &segment), 7);
  EXPECT_EQ(segment.ToStage(7), 7) << "unchanged";
}

TEST(ClipTimingTest, BackwardPlaybackSwapsLeftAndRight) {
  const ClipTiming timing =
      Make({Pair(0, 0)}, {Pair(0, 10), Pair(10, 0), Pair(20, 10), Pair(20, 3), Pair(30, 3)});
  const struct {
    double time;
    bool pre;
    double clip;
    bool clip_pre;
  } cases[] = {
      {-1, true, 10, false}, {0, true, 10, false},  {0, false, 10, false}, {5, false, 5, true},
      {5, true, 5, false},   {10, false, 0, false}, {15, true, 5, true},   {20, true, 10, true},
      {20, false, 3, false}, {25, true, 3, true},   {30, true, 3, true},   {31, true, 3, false},
  };
  for (const auto& c : cases) {
    bool pre = c.pre;
    ClipTiming::Segment segment;
    EXPECT_EQ(timing.ToClipDual(c.time, &pre, &segment), c.clip) << c.time << c.pre;
    EXPECT_EQ(pre, c.clip_pre) << c.time << c.pre;
  }
}

TEST(ClipTimingTest, PiecesMapExactlyAtTheirEnds) {
  const ClipTiming::Segment piece{{0.1, 0.3}, {0.7, 1.1}};
  EXPECT_EQ(piece.ToClip(0.1), 0.3);
  EXPECT_EQ(piece.ToClip(0.7), 1.1);
  EXPECT_EQ(piece.ToStage(0.3), 0.1);
  EXPECT_EQ(piece.ToStage(1.1), 0.7);
  const ClipTiming::Segment still{{2, 5}, {4, 5}};
  EXPECT_EQ(still.ToClip(3), 5);
  EXPECT_EQ(still.ToStage(9), 2);
  EXPECT_EQ(still.Retime(Value(Duration{3})), Value(Duration{3}));
  const ClipTiming::Segment point{{2, 5}, {2, 8}};
  EXPECT_EQ(point.ToClip(2), 5);
}

TEST(ClipTimingTest, FindsTheSamplesAroundATime) {
  const std::vector<double> even = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<double> uneven = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000};
  for (const auto& times : {even, uneven}) {
    EXPECT_EQ(TimesAround(times, -1), std::pair(0.0, 0.0));
    EXPECT_EQ(TimesAround(times, 0), std::pair(0.0, 0.0));
    EXPECT_EQ(TimesAround(times, 0.5), std::pair(0.0, 1.0));
    EXPECT_EQ(TimesAround(times, 7), std::pair(7.0, 7.0));
    EXPECT_EQ(TimesAround(times, 9.5), std::pair(9.0, times.back()));
    EXPECT_EQ(TimesAround(times, 1000), std::pair(times.back(), times.back()));
  }
  EXPECT_EQ(TimesAround(std::vector<double>{4}, 4), std::pair(4.0, 4.0));
}

TEST(ClipTimingTest, RejectsMalformedTiming) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    Pairs active;
    Pairs times;
  } cases[] = {
      {{Pair(0, 2)}, {}},
      {{Pair(0, -1)}, {}},
      {{Pair(0, nan)}, {}},
      {{Pair(nan, 0)}, {}},
      {{Pair(0, 0), Pair(1, 2)}, {}},
      {{Pair(1, 0), Pair(1, 1)}, {}},
      {{Pair(0, 0)}, {Pair(1, 1), Pair(1, 2), Pair(1, 3)}},
      {{Pair(0, 0)}, {Pair(0, 0), Pair(1, 1), Pair(2, 1), Pair(2, 2), Pair(2, 3), Pair(4, 4)}},
      {{Pair(0, 0)}, {Pair(nan, 1)}},
      {{Pair(0, 0)}, {Pair(0, 0), Pair(1, nan)}},
  };
  RequestContext context;
  for (const auto& c : cases) {
    EXPECT_EQ(ClipTiming::Make(context, c.active, c.times, 2).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(ClipTimingTest, ManyTimesAreChargedToTheRequest) {
  constexpr int kCount = 100000;
  Pairs times;
  for (int i = 0; i < kCount; ++i) times.push_back(Pair((i * 7919) % kCount, i));
  const auto code = [&](RequestLimits limits) {
    RequestContext context(RequestContext::Clock::time_point::max(), limits);
    return ClipTiming::Make(context, Pairs{Pair(0, 0)}, times, 1).status().code();
  };
  EXPECT_EQ(code({}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.max_steps = 3 * kCount}), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code({.max_bytes = 16 * kCount}), absl::StatusCode::kResourceExhausted);
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_EQ(ClipTiming::Make(cancelled, Pairs{Pair(0, 0)}, times, 1).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(ClipTimingTest, MemoryGrowsLinearlyWithTimesAndClips) {
  constexpr int kCount = 15000;
  Pairs active;
  Pairs times;
  for (int i = 0; i < kCount; ++i) {
    active.push_back(Pair(i, i));
    times.push_back(Pair(i, i));
  }
  EXPECT_LT(Make(active, times, kCount).byte_size(), size_t{kCount} * 64);
}

}  // namespace
}  // namespace stagedoor
