#include "server/rpc/suspended_calls.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"

namespace stagedoor::server {
namespace {

using std::chrono::seconds;

class FakeCall final : public Suspension::Waiter {
 public:
  void Resume() override { ++resumed; }
  void EndSuspended(const absl::Status& status) override {
    ++ended;
    code = status.code();
  }
  std::atomic<int> resumed{0}, ended{0};
  std::atomic<absl::StatusCode> code{absl::StatusCode::kOk};
};

class SuspendedCallsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Suspension> Add(int deadline_s = 1000) {
    return calls_.Add(call_, SuspendedCalls::Clock::time_point(seconds(deadline_s)));
  }

  SuspendedCalls::Clock::time_point now_{seconds(0)};
  SuspendedCalls calls_{[this] { return now_; }};
  FakeCall call_;
  RequestContext context_;
};

TEST_F(SuspendedCallsTest, TheEventResumesTheCallOnce) {
  const auto suspension = Add();
  EXPECT_TRUE(suspension->Arm(context_));
  EXPECT_EQ(calls_.size(), 1u);
  suspension->Wake();
  suspension->Wake();
  EXPECT_FALSE(suspension->End(CancelledError("gone")));
  EXPECT_EQ(call_.resumed, 1);
  EXPECT_EQ(call_.ended, 0);
  EXPECT_EQ(calls_.size(), 0u);
}

TEST_F(SuspendedCallsTest, AnEventBeforeArmLetsTheCallContinue) {
  const auto suspension = Add();
  suspension->Wake();
  EXPECT_FALSE(suspension->Arm(context_));
  EXPECT_TRUE(suspension->ended().ok());
  EXPECT_EQ(call_.resumed, 0);
  EXPECT_EQ(calls_.size(), 0u);
  const auto other = Add();
  other->Drop();
  other->Wake();
  EXPECT_EQ(call_.resumed, 0);
  EXPECT_EQ(calls_.size(), 0u);
}

TEST_F(SuspendedCallsTest, ACancelledCallDoesNotWait) {
  const auto waiting = Add();
  EXPECT_TRUE(waiting->Arm(context_));
  EXPECT_TRUE(waiting->End(CancelledError("gone")));
  EXPECT_EQ(call_.code, absl::StatusCode::kCancelled);
  waiting->Wake();
  EXPECT_EQ(call_.resumed, 0);
  context_.Cancel();
  EXPECT_FALSE(Add()->Arm(context_));
}

TEST_F(SuspendedCallsTest, TheDeadlineEndsTheWait) {
  const auto early = Add(10), late = Add(20);
  EXPECT_TRUE(early->Arm(context_));
  EXPECT_TRUE(late->Arm(context_));
  now_ += seconds(9);
  calls_.Sweep();
  EXPECT_EQ(call_.ended, 0);
  now_ += seconds(1);
  calls_.Sweep();
  EXPECT_EQ(call_.ended, 1);
  EXPECT_EQ(call_.code, absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(calls_.size(), 1u);
}

TEST_F(SuspendedCallsTest, DrainingEndsCallsNowAndLater) {
  const auto armed = Add(), arming = Add();
  EXPECT_TRUE(armed->Arm(context_));
  calls_.Drain();
  EXPECT_EQ(call_.ended, 1);
  EXPECT_EQ(call_.code, absl::StatusCode::kUnavailable);
  EXPECT_FALSE(arming->Arm(context_));
  EXPECT_EQ(arming->ended().code(), absl::StatusCode::kUnavailable);
  const auto later = Add();
  EXPECT_FALSE(later->Arm(context_));
  EXPECT_EQ(later->ended().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(call_.ended, 1);
}

TEST_F(SuspendedCallsTest, ExactlyOneOfManyThreadsEndsTheWait) {
  for (int round = 0; round < 200; ++round) {
    FakeCall call;
    SuspendedCalls calls;
    const auto suspension = calls.Add(call, SuspendedCalls::Clock::time_point::max());
    std::vector<std::thread> threads;
    threads.emplace_back([&] { suspension->Wake(); });
    threads.emplace_back([&] { suspension->End(CancelledError("gone")); });
    threads.emplace_back([&] { calls.Drain(); });
    const bool armed = suspension->Arm(context_);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(call.resumed + call.ended, armed ? 1 : 0);
    EXPECT_EQ(calls.size(), 0u);
  }
}

}  // namespace
}  // namespace stagedoor::server
