#include "server/rpc/call_admission.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/lane_executor.h"
#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MethodPolicy kPolicy{RpcGroup::kQuery, CallWeight::kNormal};

class CallAdmissionTest : public ::testing::Test {
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
  CallAdmission admission_{executor_, Limits()};
};

TEST_F(CallAdmissionTest, TheNumberOfCallsInFlightIsLimited) {
  EXPECT_TRUE(admission_.Admit().ok());
  EXPECT_TRUE(admission_.Admit().ok());
  const absl::Status full = admission_.Admit();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(full), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_EQ(RetryDelay(full), milliseconds(200));
  EXPECT_EQ(admission_.calls_in_flight(), 2u) << "a rejected call does not count";
  admission_.Release();
  EXPECT_TRUE(admission_.Admit().ok());
  EXPECT_EQ(admission_.calls_in_flight(), 2u);
}

Caller CallerWithLimit(const std::string& name, size_t max_calls) {
  Caller caller;
  caller.identity.name = name;
  Grants grants;
  grants.max_calls = max_calls;
  caller.grants = std::make_shared<const Grants>(grants);
  return caller;
}

TEST_F(CallAdmissionTest, TheCallsOfAnIdentityAreLimited) {
  const Caller here = CallerWithLimit("user:alice", 2), there = CallerWithLimit("user:alice", 2);
  EXPECT_TRUE(admission_.AdmitCaller(here).ok());
  EXPECT_TRUE(admission_.AdmitCaller(there).ok());
  const absl::Status full = admission_.AdmitCaller(here);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(full), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_EQ(RetryDelay(full), milliseconds(200));
  EXPECT_EQ(GetExhaustedBudget(full), "identity calls");
  EXPECT_TRUE(admission_.AdmitCaller(CallerWithLimit("user:bob", 1)).ok());
  admission_.ReleaseCaller(there);
  EXPECT_TRUE(admission_.AdmitCaller(here).ok());
  EXPECT_FALSE(admission_.AdmitCaller(here).ok());
}

TEST_F(CallAdmissionTest, AnIdentityWithoutALimitIsNotCounted) {
  Caller unlimited;
  EXPECT_TRUE(admission_.AdmitCaller(unlimited).ok());
  admission_.ReleaseCaller(unlimited);
  unlimited.grants = std::make_shared<const Grants>();
  EXPECT_TRUE(admission_.AdmitCaller(unlimited).ok());
  admission_.ReleaseCaller(unlimited);
  EXPECT_FALSE(admission_.AdmitCaller(CallerWithLimit("user:eve", 0)).ok());
}

TEST_F(CallAdmissionTest, HeavyCallsAreTheFirstToBeRefusedForLackOfMemory) {
  const auto refused = [this](MemoryLevel level, Lane lane) {
    admission_.SetMemoryLevel(level);
    const absl::Status status =
        admission_.CheckMemory(admission_.GetMethodCounters("A", kPolicy), lane);
    if (status.ok()) return false;
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(GetExhaustedBudget(status), "memory");
    EXPECT_TRUE(RetryDelay(status).has_value());
    return true;
  };
  EXPECT_FALSE(refused(MemoryLevel::kNormal, Lane::kLong));
  EXPECT_TRUE(refused(MemoryLevel::kHigh, Lane::kLong));
  EXPECT_FALSE(refused(MemoryLevel::kHigh, Lane::kShort));
  EXPECT_TRUE(refused(MemoryLevel::kCritical, Lane::kLong));
  EXPECT_TRUE(refused(MemoryLevel::kCritical, Lane::kShort));
}

TEST_F(CallAdmissionTest, WhatEndsAShortageOfMemoryIsNotRefusedForIt) {
  admission_.SetMemoryLevel(MemoryLevel::kCritical);
  const auto admitted = [this](const char* name, const MethodPolicy& policy) {
    return admission_.CheckMemory(admission_.GetMethodCounters(name, policy), Lane::kLong).ok();
  };
  EXPECT_TRUE(admitted("Evict", {RpcGroup::kAdmin, CallWeight::kHeavy}));
  EXPECT_TRUE(admitted("Close", {RpcGroup::kQuery, CallWeight::kNormal, kEssential}));
  EXPECT_FALSE(admitted("Open", {RpcGroup::kQuery, CallWeight::kNormal}));
}

TEST_F(CallAdmissionTest, OneGrpcThreadAtATimeDoesLightWork) {
  EXPECT_TRUE(admission_.TryAcquireInlineSlot());
  EXPECT_FALSE(admission_.TryAcquireInlineSlot());
  admission_.ReleaseInlineSlot();
  EXPECT_TRUE(admission_.TryAcquireInlineSlot());
}

TEST_F(CallAdmissionTest, DeadlinesAreLimitedToTheLongestDuration) {
  using Clock = RequestContext::Clock;
  const Clock::time_point before = Clock::now();
  const Clock::time_point longest = admission_.Deadline(Clock::time_point::max());
  EXPECT_GE(longest, before + seconds(60));
  EXPECT_LE(longest, Clock::now() + seconds(60));
  EXPECT_EQ(admission_.Deadline(before), before);
}

TEST_F(CallAdmissionTest, TheLongestDurationIsAYear) {
  CallLimits limits = Limits();
  limits.max_duration = seconds::max();
  limits.stall = seconds::max();
  CallAdmission endless(executor_, limits);
  using Clock = RequestContext::Clock;
  const Clock::time_point latest = endless.Deadline(Clock::time_point::max());
  EXPECT_LE(latest, Clock::now() + std::chrono::hours(24 * 365));
  EXPECT_GT(latest, Clock::now() + std::chrono::hours(24 * 364));
}

TEST_F(CallAdmissionTest, RequestLimitsComeFromTheCallLimits) {
  const RequestLimits bounds = admission_.MakeRequestLimits();
  EXPECT_EQ(bounds.max_steps, Limits().max_steps);
  EXPECT_EQ(bounds.max_bytes, 100u);
  EXPECT_EQ(bounds.shared_bytes, &admission_.bytes());
}

TEST_F(CallAdmissionTest, AMethodHasOneSetOfCounters) {
  MethodCounters& b = admission_.GetMethodCounters("B", kPolicy);
  MethodCounters& a = admission_.GetMethodCounters("A", kPolicy);
  EXPECT_EQ(&admission_.GetMethodCounters("B", kPolicy), &b);
  EXPECT_NE(&a, &b);
  std::string names;
  for (const MethodCounters* counters : admission_.AllCounters()) names += counters->name + " ";
  EXPECT_EQ(names, "A B ");
}

TEST(MethodCountersTest, CountsCallsByStatus) {
  MethodCounters counters("M", kPolicy);
  counters.RecordCall(absl::StatusCode::kOk, milliseconds(1));
  counters.RecordCall(absl::StatusCode::kNotFound, milliseconds(2));
  counters.RecordCall(static_cast<absl::StatusCode>(99), milliseconds(3));
  EXPECT_EQ(counters.errors, 2);
  EXPECT_EQ(counters.nanoseconds, 6000000);
  EXPECT_EQ(counters.by_status[0], 1);
  EXPECT_EQ(counters.by_status[5], 1);
  EXPECT_EQ(counters.by_status[16], 1);
}

TEST(MethodCountersTest, CountsCallsByLatency) {
  MethodCounters counters("M", kPolicy);
  counters.RecordCall(absl::StatusCode::kOk, microseconds(0));
  counters.RecordCall(absl::StatusCode::kOk, microseconds(100));
  counters.RecordCall(absl::StatusCode::kOk, microseconds(101));
  counters.RecordCall(absl::StatusCode::kOk, milliseconds(500));
  counters.RecordCall(absl::StatusCode::kOk, seconds(10));
  counters.RecordCall(absl::StatusCode::kOk, seconds(11));
  EXPECT_EQ(counters.latency.count(0), 1);
  EXPECT_EQ(counters.latency.count(1), 1) << "buckets include their upper bound";
  EXPECT_EQ(counters.latency.count(2), 1);
  EXPECT_EQ(counters.latency.count(12), 1);
  EXPECT_EQ(counters.latency.count(16), 1);
  EXPECT_EQ(counters.latency.count(17), 1);
  EXPECT_EQ(counters.latency.sum(), seconds(21) + milliseconds(500) + microseconds(201));
}

TEST(MethodCountersTest, CountsWaitsAndBytes) {
  MethodCounters counters("M", kPolicy);
  counters.RecordMessages(microseconds(60), 5, uint64_t{1} << 40);
  counters.RecordMessages(microseconds(70), 6, 1);
  EXPECT_EQ(counters.queue_time.count(1), 2);
  EXPECT_EQ(counters.queue_time.sum(), microseconds(130));
  EXPECT_EQ(counters.bytes_in, 11u);
  EXPECT_EQ(counters.bytes_out, (uint64_t{1} << 40) + 1);
}

}  // namespace
}  // namespace stagedoor::server
