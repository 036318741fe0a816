#include "server/lifecycle/drain_steps.h"

#include <gtest/gtest.h>

namespace stagedoor {
namespace {

using std::chrono::seconds;
constexpr DrainSteps::Time kStart{std::chrono::hours(1)};
constexpr DrainTimes kTimes{
    .delay = seconds(10), .patience = seconds(20), .last_patience = seconds(5)};

TEST(DrainStepsTest, ServesUntilASignal) {
  DrainSteps steps(kTimes);
  EXPECT_EQ(steps.deadline(), DrainSteps::Time::max());
  steps.Advance(kStart + std::chrono::hours(1000));
  EXPECT_EQ(steps.step(), DrainStep::kServing);
}

TEST(DrainStepsTest, TimeLeadsFromStepToStep) {
  DrainSteps steps(kTimes);
  steps.Signal(kStart);
  const struct {
    seconds at;
    DrainStep step;
  } kCases[] = {
      {seconds(0), DrainStep::kAnnounced},   {seconds(9), DrainStep::kAnnounced},
      {seconds(10), DrainStep::kFinishing},  {seconds(29), DrainStep::kFinishing},
      {seconds(30), DrainStep::kCancelling}, {seconds(34), DrainStep::kCancelling},
      {seconds(35), DrainStep::kGivenUp},    {seconds(1000), DrainStep::kGivenUp},
  };
  for (const auto& c : kCases) {
    steps.Advance(kStart + c.at);
    EXPECT_EQ(steps.step(), c.step) << c.at.count() << " s";
  }
}

TEST(DrainStepsTest, WithoutDelayCallsFinishAtOnce) {
  DrainSteps steps({.delay = seconds(0), .patience = seconds(1), .last_patience = seconds(1)});
  steps.Signal(kStart);
  EXPECT_EQ(steps.step(), DrainStep::kFinishing);
}

TEST(DrainStepsTest, WithoutAnyPatienceItEndsAtOnce) {
  DrainSteps steps({.delay = seconds(0), .patience = seconds(0), .last_patience = seconds(0)});
  steps.Signal(kStart);
  EXPECT_EQ(steps.step(), DrainStep::kGivenUp);
}

TEST(DrainStepsTest, EachSignalLeadsToTheNextStep) {
  DrainSteps steps(kTimes);
  steps.Signal(kStart);
  EXPECT_EQ(steps.step(), DrainStep::kAnnounced);
  steps.Signal(kStart);
  EXPECT_EQ(steps.step(), DrainStep::kFinishing);
  steps.Signal(kStart);
  EXPECT_EQ(steps.step(), DrainStep::kCancelling);
  EXPECT_EQ(steps.deadline(), kStart + DrainSteps::kHurriedPatience) << "not the five seconds";
  steps.Signal(kStart);
  EXPECT_EQ(steps.step(), DrainStep::kGivenUp);
  steps.Signal(kStart);
  EXPECT_EQ(steps.step(), DrainStep::kGivenUp);
}

TEST(DrainStepsTest, WithoutCallsNobodyIsWaitedFor) {
  DrainSteps steps(
      {.delay = seconds(0), .patience = seconds(1000), .last_patience = seconds(1000)});
  steps.Signal(kStart);
  DrainSteps::Time now = kStart;
  const auto observe = [&](size_t calls) {
    now += DrainSteps::kQuiet / 2;
    steps.Observe(now, calls);
    return steps.step();
  };
  EXPECT_EQ(observe(1), DrainStep::kFinishing);
  EXPECT_EQ(observe(0), DrainStep::kFinishing);
  EXPECT_EQ(observe(0), DrainStep::kFinishing);
  EXPECT_EQ(observe(1), DrainStep::kFinishing) << "one more came before its client knew";
  EXPECT_EQ(observe(0), DrainStep::kFinishing);
  EXPECT_EQ(observe(0), DrainStep::kFinishing);
  EXPECT_EQ(observe(0), DrainStep::kCancelling) << "quiet for long enough";
  EXPECT_EQ(observe(0), DrainStep::kCancelling);
  EXPECT_EQ(observe(0), DrainStep::kCancelling);
  EXPECT_EQ(observe(0), DrainStep::kGivenUp);
}

TEST(DrainStepsTest, TheDelayIsKeptWithoutCallsToo) {
  DrainSteps steps(kTimes);
  steps.Signal(kStart);
  steps.Observe(kStart + seconds(1), 0);
  steps.Observe(kStart + seconds(2), 0);
  EXPECT_EQ(steps.step(), DrainStep::kAnnounced);
}

}  // namespace
}  // namespace stagedoor
