#include "server/lifecycle/drain_state_machine.h"

#include <gtest/gtest.h>

namespace stagedoor::server {
namespace {

using std::chrono::seconds;
constexpr DrainStateMachine::Time kStart{std::chrono::hours(1)};
constexpr DrainTimeouts kTimes{
    .delay = seconds(10), .grace_period = seconds(20), .cancel_grace_period = seconds(5)};

TEST(DrainStateMachineTest, ServesUntilASignal) {
  DrainStateMachine drain(kTimes);
  EXPECT_EQ(drain.deadline(), DrainStateMachine::Time::max());
  drain.Advance(kStart + std::chrono::hours(1000));
  EXPECT_EQ(drain.state(), DrainState::kServing);
}

TEST(DrainStateMachineTest, TimeoutsLeadFromStepToStep) {
  DrainStateMachine drain(kTimes);
  drain.Signal(kStart);
  const struct {
    seconds at;
    DrainState state;
  } kCases[] = {
      {seconds(0), DrainState::kLameDuck},    {seconds(9), DrainState::kLameDuck},
      {seconds(10), DrainState::kDraining},   {seconds(29), DrainState::kDraining},
      {seconds(30), DrainState::kCancelling}, {seconds(34), DrainState::kCancelling},
      {seconds(35), DrainState::kAbandoned},  {seconds(1000), DrainState::kAbandoned},
  };
  for (const auto& c : kCases) {
    drain.Advance(kStart + c.at);
    EXPECT_EQ(drain.state(), c.state) << c.at.count() << " s";
  }
}

TEST(DrainStateMachineTest, WithoutADelayDrainingStartsImmediately) {
  DrainStateMachine drain(
      {.delay = seconds(0), .grace_period = seconds(1), .cancel_grace_period = seconds(1)});
  drain.Signal(kStart);
  EXPECT_EQ(drain.state(), DrainState::kDraining);
}

TEST(DrainStateMachineTest, WithoutAnyTimeoutsItEndsImmediately) {
  DrainStateMachine drain(
      {.delay = seconds(0), .grace_period = seconds(0), .cancel_grace_period = seconds(0)});
  drain.Signal(kStart);
  EXPECT_EQ(drain.state(), DrainState::kAbandoned);
}

TEST(DrainStateMachineTest, EachSignalLeadsToTheNextStep) {
  DrainStateMachine drain(kTimes);
  drain.Signal(kStart);
  EXPECT_EQ(drain.state(), DrainState::kLameDuck);
  drain.Signal(kStart);
  EXPECT_EQ(drain.state(), DrainState::kDraining);
  drain.Signal(kStart);
  EXPECT_EQ(drain.state(), DrainState::kCancelling);
  EXPECT_EQ(drain.deadline(), kStart + DrainStateMachine::kSecondSignalGracePeriod)
      << "not the five seconds";
  drain.Signal(kStart);
  EXPECT_EQ(drain.state(), DrainState::kAbandoned);
  drain.Signal(kStart);
  EXPECT_EQ(drain.state(), DrainState::kAbandoned);
}

TEST(DrainStateMachineTest, WithoutCallsItDoesNotWait) {
  DrainStateMachine drain(
      {.delay = seconds(0), .grace_period = seconds(1000), .cancel_grace_period = seconds(1000)});
  drain.Signal(kStart);
  DrainStateMachine::Time now = kStart;
  const auto observe = [&](size_t calls) {
    now += DrainStateMachine::kQuiet / 2;
    drain.Observe(now, calls);
    return drain.state();
  };
  EXPECT_EQ(observe(1), DrainState::kDraining);
  EXPECT_EQ(observe(0), DrainState::kDraining);
  EXPECT_EQ(observe(0), DrainState::kDraining);
  EXPECT_EQ(observe(1), DrainState::kDraining)
      << "a client sent one more call before it saw the GOAWAY";
  EXPECT_EQ(observe(0), DrainState::kDraining);
  EXPECT_EQ(observe(0), DrainState::kDraining);
  EXPECT_EQ(observe(0), DrainState::kCancelling) << "quiet for long enough";
  EXPECT_EQ(observe(0), DrainState::kCancelling);
  EXPECT_EQ(observe(0), DrainState::kCancelling);
  EXPECT_EQ(observe(0), DrainState::kAbandoned);
}

TEST(DrainStateMachineTest, TheDelayAppliesEvenWithoutCalls) {
  DrainStateMachine drain(kTimes);
  drain.Signal(kStart);
  drain.Observe(kStart + seconds(1), 0);
  drain.Observe(kStart + seconds(2), 0);
  EXPECT_EQ(drain.state(), DrainState::kLameDuck);
}

}  // namespace
}  // namespace stagedoor::server
