#include "scene/clips/clip_timing.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "scene/values/scalar_types.h"

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

TEST(ClipTimingTest, JumpGoesLeftBeforeAndRightAtItsTime) {
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

TEST(ClipTimingTest, RetimesTimeCodesByThePieceTheyAreReadOn) {
  const ClipTiming timing = Make({Pair(1, 0)}, {Pair(1, 1), Pair(9, 5)});
  ClipTiming::Segment segment;
  EXPECT_EQ(timing.ToClip(3, false, &segment), 2);
  EXPECT_EQ(segment.Retime(Value(TimeCode{2})), Value(TimeCode{3}));
  EXPECT_EQ(segment.Retime(Value(Array<TimeCode>{TimeCode{1}, TimeCode{2}})),
            Value(Array<TimeCode>{TimeCode{1}, TimeCode{3}}));
  EXPECT_EQ(segment.Retime(Value(Duration{2})), Value(Duration{4}));
  EXPECT_EQ(segment.Retime(Value(2.0)), Value(2.0));
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
      {{Pair(1, 0), Pair(1, 1)}, {}},
      {{Pair(0, 0)}, {Pair(1, 1), Pair(1, 2), Pair(1, 3)}},
      {{Pair(0, 0)}, {Pair(nan, 1)}},
  };
  RequestContext context;
  for (const auto& c : cases) {
    EXPECT_EQ(ClipTiming::Make(context, c.active, c.times, 2).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(ClipTimingTest, ManyTimesArePaidFor) {
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
