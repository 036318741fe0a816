#include "client/cli/load_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "base/status.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FakeClock final : public LoadClock {
 public:
  Time Now() override { return now; }
  void SleepUntil(Time time) override { now = std::max(now, time); }

  Time now{};
};

// A call that takes some time of the clock.
LoadOperation Taking(FakeClock& clock, milliseconds time, double weight = 1) {
  return {"call", weight, [&clock, time](LoadRandom&) {
            clock.now += time;
            return absl::OkStatus();
          }};
}

TEST(LoadRunTest, WithoutARateCallsFollowEachOther) {
  FakeClock clock;
  LoadSchedule schedule(clock.now, seconds(1), std::nullopt);
  const auto results = RunLoad({Taking(clock, milliseconds(10))}, schedule, 0, clock);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].name, "call");
  EXPECT_EQ(results[0].latencies.count(), 100u);
  EXPECT_EQ(results[0].latencies.max(), milliseconds(10));
}

TEST(LoadRunTest, WithARateCallsAreDueAtEqualDistances) {
  FakeClock clock;
  LoadSchedule schedule(clock.now, seconds(2), 50);
  const auto results = RunLoad({Taking(clock, milliseconds(1))}, schedule, 0, clock);
  EXPECT_EQ(results[0].latencies.count(), 100u);
  EXPECT_EQ(results[0].latencies.max(), milliseconds(1)) << "waiting for the time is not counted";
}

TEST(LoadRunTest, CallsThatAreLateCountFromWhenTheyWereDue) {
  FakeClock clock;
  LoadSchedule schedule(clock.now, seconds(1), 100);
  // Due every 10 ms, each takes 20: the last one begins after a second, and 50 are made.
  const auto results = RunLoad({Taking(clock, milliseconds(20))}, schedule, 0, clock);
  EXPECT_EQ(results[0].latencies.count(), 50u);
  EXPECT_EQ(results[0].latencies.max(), milliseconds(20 + 49 * 10));
}

TEST(LoadRunTest, TheMixFollowsTheWeights) {
  FakeClock clock;
  LoadSchedule schedule(clock.now, seconds(10), std::nullopt);
  const auto results = RunLoad(
      {Taking(clock, milliseconds(1), 3), Taking(clock, milliseconds(1), 1)}, schedule, 7, clock);
  const uint64_t first = results[0].latencies.count(), second = results[1].latencies.count();
  EXPECT_EQ(first + second, 10000u);
  EXPECT_NEAR(static_cast<double>(first), 7500, 300);
}

TEST(LoadRunTest, ErrorsAreCountedApart) {
  FakeClock clock;
  LoadSchedule schedule(clock.now, milliseconds(3), std::nullopt);
  int calls = 0;
  const LoadOperation failing{"call", 1, [&](LoadRandom&) {
                                clock.now += milliseconds(1);
                                return ++calls == 2 ? NotFoundError("second") : absl::OkStatus();
                              }};
  const auto results = RunLoad({failing}, schedule, 0, clock);
  EXPECT_EQ(results[0].latencies.count(), 2u);
  EXPECT_EQ(results[0].errors, 1u);
  EXPECT_EQ(Message(results[0].first_error), "second");
  LoadResult sum{.name = "all"};
  sum.Add(results[0]);
  sum.Add(results[0]);
  EXPECT_EQ(sum.errors, 2u);
  EXPECT_EQ(sum.latencies.count(), 4u);
  EXPECT_EQ(Message(sum.first_error), "second");
}

}  // namespace
}  // namespace stagedoor
