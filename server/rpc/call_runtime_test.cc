#include "server/rpc/call_runtime.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/lane_executor.h"
#include "base/status.h"
#include "server/errors.h"

namespace stagedoor {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class CallRuntimeTest : public ::testing::Test {
 protected:
  static CallLimits Limits() {
    CallLimits limits;
    limits.max_calls = 2;
    limits.max_bytes = 100;
    limits.all_bytes = 1000;
    limits.max_duration = seconds(60);
    return limits;
  }

  LaneExecutor executor_{{.threads = 1, .watch = false}};
  CallRuntime runtime_{executor_, Limits()};
};

TEST_F(CallRuntimeTest, OnlySoManyCallsAreInFlight) {
  EXPECT_TRUE(runtime_.Enter().ok());
  EXPECT_TRUE(runtime_.Enter().ok());
  const absl::Status full = runtime_.Enter();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReasonOf(full), "BUDGET_EXHAUSTED");
  EXPECT_EQ(RetryDelay(full), milliseconds(200));
  EXPECT_EQ(runtime_.calls_in_flight(), 2u) << "a refused call holds no place";
  runtime_.Leave();
  EXPECT_TRUE(runtime_.Enter().ok());
  EXPECT_EQ(runtime_.calls_in_flight(), 2u);
}

TEST_F(CallRuntimeTest, OneThreadOfGrpcAtATimeDoesLightWork) {
  EXPECT_TRUE(runtime_.TakeThread());
  EXPECT_FALSE(runtime_.TakeThread());
  runtime_.GiveThreadBack();
  EXPECT_TRUE(runtime_.TakeThread());
}

TEST_F(CallRuntimeTest, DeadlinesAreNoLaterThanTheLongestDuration) {
  using Clock = RequestContext::Clock;
  const Clock::time_point before = Clock::now();
  const Clock::time_point longest = runtime_.Deadline(Clock::time_point::max());
  EXPECT_GE(longest, before + seconds(60));
  EXPECT_LE(longest, Clock::now() + seconds(60));
  EXPECT_EQ(runtime_.Deadline(before), before);
}

TEST_F(CallRuntimeTest, TheLongestDurationIsAYear) {
  CallLimits limits = Limits();
  limits.max_duration = seconds::max();
  limits.stall = seconds::max();
  CallRuntime endless(executor_, limits);
  using Clock = RequestContext::Clock;
  const Clock::time_point latest = endless.Deadline(Clock::time_point::max());
  EXPECT_LE(latest, Clock::now() + std::chrono::hours(24 * 365));
  EXPECT_GT(latest, Clock::now() + std::chrono::hours(24 * 364));
}

TEST_F(CallRuntimeTest, ACallMayUseWhatTheLimitsSay) {
  const RequestLimits bounds = runtime_.RequestBounds();
  EXPECT_EQ(bounds.max_steps, Limits().max_steps);
  EXPECT_EQ(bounds.max_bytes, 100u);
  EXPECT_EQ(bounds.shared_bytes, &runtime_.bytes());
}

TEST_F(CallRuntimeTest, AMethodHasOneSetOfCounters) {
  MethodCounters& b = runtime_.CountersOf("B");
  MethodCounters& a = runtime_.CountersOf("A");
  EXPECT_EQ(&runtime_.CountersOf("B"), &b);
  EXPECT_NE(&a, &b);
  std::string names;
  for (const MethodCounters* counters : runtime_.AllCounters()) names += counters->name + " ";
  EXPECT_EQ(names, "A B ");
}

TEST(MethodCountersTest, CountsEndsByStatus) {
  MethodCounters counters("M");
  counters.Ended(absl::StatusCode::kOk, milliseconds(1));
  counters.Ended(absl::StatusCode::kNotFound, milliseconds(2));
  counters.Ended(static_cast<absl::StatusCode>(99), milliseconds(3));
  EXPECT_EQ(counters.errors, 2);
  EXPECT_EQ(counters.nanoseconds, 6000000);
  EXPECT_EQ(counters.by_status[0], 1);
  EXPECT_EQ(counters.by_status[5], 1);
  EXPECT_EQ(counters.by_status[16], 1);
}

TEST(MethodCountersTest, CountsEndsByWhatTheyTook) {
  MethodCounters counters("M");
  counters.Ended(absl::StatusCode::kOk, microseconds(0));
  counters.Ended(absl::StatusCode::kOk, microseconds(100));
  counters.Ended(absl::StatusCode::kOk, microseconds(101));
  counters.Ended(absl::StatusCode::kOk, milliseconds(500));
  counters.Ended(absl::StatusCode::kOk, seconds(10));
  counters.Ended(absl::StatusCode::kOk, seconds(11));
  EXPECT_EQ(counters.by_latency[0], 2) << "a bound belongs to what is below it";
  EXPECT_EQ(counters.by_latency[1], 1);
  EXPECT_EQ(counters.by_latency[8], 1);
  EXPECT_EQ(counters.by_latency[9], 1);
  EXPECT_EQ(counters.by_latency[10], 1);
}

}  // namespace
}  // namespace stagedoor
