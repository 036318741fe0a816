#include "server/rpc/call.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "base/lane_executor.h"
#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "server/error_info.h"
#include "server/rpc/grpc_status.h"
#include "server/testing/status_details.h"

namespace stagedoor::server {
namespace {

constexpr auto kNoDeadline = std::chrono::system_clock::time_point::max();

CallLimits SmallLimits() {
  CallLimits limits;
  limits.max_calls = 2;
  limits.max_steps = 1000;
  limits.max_bytes = 600;
  limits.all_bytes = 1000;
  return limits;
}

class CallTest : public ::testing::Test {
 protected:
  LaneExecutor executor_{{.threads = 1}};
  CallAdmission admission_{executor_, SmallLimits()};
  MethodCounters& counters_ =
      admission_.GetMethodCounters("Method", {RpcGroup::kQuery, CallWeight::kNormal});
};

TEST_F(CallTest, ARejectedCallHasAReasonAndARetryDelay) {
  Call first(admission_, counters_, kNoDeadline), second(admission_, counters_, kNoDeadline);
  Call third(admission_, counters_, kNoDeadline);
  EXPECT_TRUE(second.admission_status().ok());
  bool ran = false;
  const auto work = [&] {
    ran = true;
    return absl::OkStatus();
  };
  const grpc::Status status = ToGrpcStatus(third.Run(work));
  EXPECT_FALSE(ran);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(status).reason(), "BUDGET_EXHAUSTED");
  EXPECT_GT(DetailOf<google::rpc::RetryInfo>(status).retry_delay().nanos(), 0);
}

TEST_F(CallTest, StepsAreLimitedEvenIfTheHandlerIgnoresIt) {
  Call call(admission_, counters_, kNoDeadline);
  const absl::Status status = call.Run([&] {
    (void)call.context().Spend(1001);
    return absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(CallTest, BytesAreLimitedPerCallAndInTotal) {
  Call first(admission_, counters_, kNoDeadline), second(admission_, counters_, kNoDeadline);
  EXPECT_TRUE(first.context().Reserve(600, "a reply").ok());
  EXPECT_EQ(admission_.bytes().used(), 600u);
  const absl::Status refused = second.context().Reserve(401, "a reply");
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(RetryDelay(refused).has_value());
  const absl::Status too_much = first.context().Reserve(1, "a reply");
  EXPECT_EQ(too_much.code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(CallTest, BytesAreReleasedWithTheCall) {
  {
    Call call(admission_, counters_, kNoDeadline);
    EXPECT_TRUE(call.context().Reserve(600, "a reply").ok());
  }
  EXPECT_EQ(admission_.bytes().used(), 0u);
}

TEST_F(CallTest, ACallWithoutDeadlineGetsTheLongestOne) {
  using Clock = RequestContext::Clock;
  const Clock::time_point longest = admission_.Deadline(Clock::time_point::max());
  EXPECT_LE(longest, Clock::now() + SmallLimits().max_duration);
  const Clock::time_point soon = Clock::now() + std::chrono::seconds(1);
  EXPECT_EQ(admission_.Deadline(soon), soon);
  Call call(admission_, counters_, kNoDeadline);
  EXPECT_TRUE(call.context().has_deadline());
}

TEST_F(CallTest, StepsRunForTheirCaller) {
  EXPECT_EQ(Call(admission_, counters_, kNoDeadline).caller(), nullptr);
  auto caller = std::make_shared<const Caller>();
  Call call(admission_, counters_, kNoDeadline, caller);
  EXPECT_EQ(call.caller(), caller.get());
  const absl::Status status = call.Run([&] {
    EXPECT_EQ(CurrentCaller(), caller.get());
    EXPECT_NE(RequestScope::Current().notes, nullptr);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(CurrentCaller(), nullptr);
  EXPECT_EQ(RequestScope::Current().notes, nullptr);
}

TEST_F(CallTest, ACallThatNeverRanHasOnlyWaited) {
  Call call(admission_, counters_, kNoDeadline);
  call.End(CancelledError("gone"));
  EXPECT_EQ(counters_.queue_time.sum(), counters_.latency.sum());
}

TEST_F(CallTest, TheWaitEndsWithTheFirstStep) {
  Call call(admission_, counters_, kNoDeadline);
  call.BeginStep();
  const auto begun = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() == begun) {
  }
  call.BeginStep();
  call.End(absl::OkStatus());
  EXPECT_LT(counters_.queue_time.sum(), counters_.latency.sum());
}

TEST_F(CallTest, RefusedCallsAreCounted) {
  Call first(admission_, counters_, kNoDeadline), second(admission_, counters_, kNoDeadline);
  Call third(admission_, counters_, kNoDeadline);
  third.End(third.admission_status());
  EXPECT_EQ(admission_.refusals().count(0), 1) << RefusalCounters::kReasons[0];
}

TEST_F(CallTest, ACallCountsTowardsTheLimitOfItsCaller) {
  auto grants = std::make_shared<Grants>();
  grants->max_calls = 1;
  auto alice = std::make_shared<Caller>();
  alice->identity.name = "user:alice";
  alice->grants = grants;
  const auto end = [] { return absl::OkStatus(); };
  {
    Call first(admission_, counters_, kNoDeadline, alice);
    EXPECT_EQ(first.caller(), alice.get());
    EXPECT_TRUE(first.Run(end).ok());
    Call second(admission_, counters_, kNoDeadline, alice);
    EXPECT_EQ(second.Run(end).code(), absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(admission_.calls_in_flight(), 0u);
  Call third(admission_, counters_, kNoDeadline, alice);
  EXPECT_TRUE(third.Run(end).ok());
}

TEST_F(CallTest, AFailedAllocationFailsTheCall) {
  Call call(admission_, counters_, kNoDeadline);
  const grpc::Status status =
      ToGrpcStatus(call.Run([]() -> absl::Status { throw std::bad_alloc(); }));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(status).reason(), "BUDGET_EXHAUSTED");
}

TEST_F(CallTest, AnyOtherExceptionFailsTheCall) {
  Call call(admission_, counters_, kNoDeadline);
  const absl::Status status =
      call.Run([]() -> absl::Status { throw std::out_of_range("no such item"); });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace stagedoor::server
