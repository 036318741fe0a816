#include "server/rpc/call_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kNormal = PriorityClass::kNormal;

class TestStep final : public CallQueue::Step {
 public:
  TestStep(std::string_view text, std::string* log) : name(text), log_(log) {}
  void RunStep() override {
    *log_ += name;
    if (then) then();
  }
  void RefuseStep(const absl::Status& status) override { refused = status; }

  const std::string name;
  std::function<void()> then;  // the rest of the step
  absl::Status refused;

 private:
  std::string* const log_;
};

class CallQueueTest : public ::testing::Test {
 protected:
  std::shared_ptr<CallQueue> MakeQueue(CallQueue::Options options) {
    options.now = [this] { return now_; };
    return std::make_shared<CallQueue>(
        [this](Lane lane, std::function<void()> fn) {
          if (out_of_memory_) throw std::bad_alloc();
          WorkOf(lane).push_back(std::move(fn));
        },
        std::move(options));
  }

  std::deque<std::function<void()>>& WorkOf(Lane lane) { return work_[lane == Lane::kLong]; }

  TestStep& Make(std::string_view name) { return steps_.emplace_back(name, &log_); }
  TestStep& Add(std::string_view name, std::string_view share, Lane lane = Lane::kShort) {
    TestStep& step = Make(name);
    EXPECT_EQ(queue_->Add(step, lane, {.share = share}, context_), absl::OkStatus());
    return step;
  }

  // Runs what the executor has, at most `most` pieces.
  void Run(int most = 1 << 20, Lane lane = Lane::kShort) {
    for (; most > 0 && !WorkOf(lane).empty(); --most) {
      const std::function<void()> fn = std::move(WorkOf(lane).front());
      WorkOf(lane).pop_front();
      fn();
    }
  }

  CallQueue::Clock::time_point now_{seconds(1000)};
  bool out_of_memory_ = false;
  std::array<std::deque<std::function<void()>>, 2> work_;
  std::string log_;
  std::deque<TestStep> steps_;
  RequestContext context_;
  std::shared_ptr<CallQueue> queue_ =
      MakeQueue({.calls = {.threads = 2, .max_overrunning = 32, .max_waiting_per_share = 20000}});
};

TEST_F(CallQueueTest, AStepRunsOnceOnAThreadOfItsLane) {
  Add("s", "a");
  Add("l", "a", Lane::kLong);
  EXPECT_EQ(log_, "");
  Run(100, Lane::kLong);
  EXPECT_EQ(log_, "l");
  Run();
  EXPECT_EQ(log_, "ls");
  EXPECT_EQ(queue_->shares(Lane::kShort), 0u);
  EXPECT_EQ(queue_->shares(Lane::kLong), 0u);
}

TEST_F(CallQueueTest, ACallRunsSoonBesideThousandsOfAnotherClient) {
  for (int i = 0; i < 10000; ++i) Add("a", "a");
  Run(5);
  EXPECT_EQ(log_, "aaaaa");
  Add("b", "b");
  Run(2);
  EXPECT_NE(log_.find('b'), std::string::npos) << log_;
  Run();
  EXPECT_EQ(log_.size(), 10001u);
}

TEST_F(CallQueueTest, TheExecutorHasNoMoreEntriesThanThreads) {
  for (int i = 0; i < 100; ++i) Add("a", "a");
  EXPECT_EQ(WorkOf(Lane::kShort).size(), 2u);
  WorkOf(Lane::kShort).push_back([this] { log_ += 'P'; });  // a part of a running request
  Run(3);
  EXPECT_EQ(log_, "aaP");
  EXPECT_EQ(WorkOf(Lane::kShort).size(), 2u);
}

TEST_F(CallQueueTest, ACallThatRunsForLongHasASuccessorMeanwhile) {
  TestStep& longest = Add("1", "a");
  longest.then = [this] {
    log_ += '[';
    Run(1);
    log_ += ']';
  };
  Add("2", "a");
  Add("3", "a");
  Run();
  EXPECT_EQ(log_, "1[2]3");
}

TEST_F(CallQueueTest, ManyLongCallsOfOneClientLeaveThreadsToOthers) {
  // Each call waits until another one ends: the others run on threads that replace theirs.
  int running = 0, most = 0;
  for (int i = 0; i < 64; ++i) {
    Add("a", "a").then = [&] {
      most = std::max(most, ++running);
      if (running == 18 && log_.find('b') == std::string::npos) Add("b", "b");
      Run(1);
      Run(1);
      --running;
    };
  }
  Run();
  EXPECT_EQ(most, 18);
  EXPECT_EQ(log_.substr(0, 19), std::string(18, 'a') + "b");
  EXPECT_EQ(log_.size(), 65u) << "calls that were held back run later";
}

TEST_F(CallQueueTest, ARemovedStepLeavesAtOnce) {
  TestStep& first = Add("1", "a");
  Add("2", "b");
  EXPECT_EQ(queue_->waiting(kNormal), 2u);
  EXPECT_TRUE(queue_->Remove(first));
  EXPECT_FALSE(queue_->Remove(first));
  EXPECT_EQ(queue_->waiting(kNormal), 1u);
  EXPECT_EQ(queue_->shares(Lane::kShort), 1u);
  Run();
  EXPECT_EQ(log_, "2");
  EXPECT_EQ(queue_->waiting(kNormal), 0u);
}

TEST_F(CallQueueTest, AStepThatRunsCannotBeRemoved) {
  TestStep& step = Add("1", "a");
  bool removed = true;
  step.then = [&] { removed = queue_->Remove(step); };
  Run();
  EXPECT_FALSE(removed);
}

TEST_F(CallQueueTest, ACancelledCallIsNotQueued) {
  context_.Cancel();
  TestStep& step = Make("1");
  const absl::Status status = queue_->Add(step, Lane::kShort, {.share = "a"}, context_);
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(queue_->Remove(step));
  EXPECT_EQ(queue_->waiting(kNormal), 0u);
}

TEST_F(CallQueueTest, WaitingCallsOfAClientAreLimited) {
  queue_ = MakeQueue({.calls = {.threads = 2, .max_waiting_per_share = 2}});
  Add("1", "a");
  Add("2", "a");
  TestStep& third = Make("3");
  const absl::Status status = queue_->Add(third, Lane::kShort, {.share = "a"}, context_);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_EQ(RetryDelay(status), milliseconds(200));
  EXPECT_EQ(GetExhaustedBudget(status), "waiting");
  Add("4", "b");
  Run();
  EXPECT_EQ(log_.size(), 3u);
  EXPECT_EQ(log_.find('3'), std::string::npos);
}

TEST_F(CallQueueTest, ACallThatWaitsTooLongBehindOthersOfItsClientIsRefused) {
  for (const char* name : {"1", "2", "3"}) Add(name, "a");
  Run(1);
  now_ += milliseconds(29999);
  queue_->Sweep();
  EXPECT_EQ(steps_[1].refused, absl::OkStatus());
  now_ += milliseconds(1);
  queue_->Sweep();
  for (const TestStep* step : {&steps_[1], &steps_[2]}) {
    EXPECT_EQ(step->refused.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(GetExhaustedBudget(step->refused), "waiting time");
    EXPECT_TRUE(RetryDelay(step->refused).has_value());
  }
  EXPECT_EQ(queue_->waiting(kNormal), 0u);
  Run();
  EXPECT_EQ(log_, "1");
}

TEST_F(CallQueueTest, ACallThatWaitsTooLongBecauseOfOthersFindsTheServerUnavailable) {
  TestStep& step = Add("1", "a", Lane::kLong);
  now_ += seconds(30);
  queue_->Sweep();
  EXPECT_EQ(step.refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(GetExhaustedBudget(step.refused), "waiting time");
  EXPECT_TRUE(RetryDelay(step.refused).has_value());
}

TEST_F(CallQueueTest, WaitingStepsAreCountedByPriority) {
  Add("1", "a");
  Add("2", "a", Lane::kLong);
  TestStep& batch = Make("3");
  const FairQueue::Place place{.priority = PriorityClass::kBatch, .share = "a"};
  ASSERT_TRUE(queue_->Add(batch, Lane::kShort, place, context_).ok());
  EXPECT_EQ(queue_->waiting(kNormal), 2u);
  EXPECT_EQ(queue_->waiting(PriorityClass::kBatch), 1u);
  Run();
  EXPECT_EQ(queue_->waiting(kNormal), 1u);
  EXPECT_EQ(queue_->waiting(PriorityClass::kBatch), 0u);
}

TEST_F(CallQueueTest, AStepIsRefusedIfTheExecutorHasNoMemory) {
  out_of_memory_ = true;
  TestStep& step = Make("1");
  const absl::Status status = queue_->Add(step, Lane::kShort, {.share = "a"}, context_);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetExhaustedBudget(status), "memory");
  EXPECT_FALSE(queue_->Remove(step));
  EXPECT_EQ(queue_->waiting(kNormal), 0u);
  out_of_memory_ = false;
  Add("2", "a");
  Run();
  EXPECT_EQ(log_, "2");
}

TEST_F(CallQueueTest, CallsThatWaitContinueWhenMemoryIsBack) {
  for (const char* name : {"1", "2", "3", "4"}) Add(name, "a");
  out_of_memory_ = true;
  Run();
  EXPECT_EQ(log_, "12");
  out_of_memory_ = false;
  queue_->Sweep();
  Run();
  EXPECT_EQ(log_, "1234");
}

}  // namespace
}  // namespace stagedoor::server
