#include "server/metrics/health_state.h"

#include <gtest/gtest.h>

#include <new>
#include <utility>
#include <vector>

namespace stagedoor::server {
namespace {

using std::chrono::seconds;

class HealthStateTest : public ::testing::Test {
 protected:
  void Beat() {
    health_.Beat([this](std::function<void()> fn) { scheduled_.push_back(std::move(fn)); });
  }
  void RunWorkers() {
    for (const auto& fn : std::exchange(scheduled_, {})) fn();
  }

  HealthState::Clock::time_point now_{};
  HealthState health_{[this] { return now_; }};
  std::vector<std::function<void()>> scheduled_;
};

TEST_F(HealthStateTest, IsReadyWhileServing) {
  EXPECT_EQ(health_.WhyNotReady(), "starting");
  EXPECT_TRUE(health_.SetServing());
  EXPECT_EQ(health_.WhyNotReady(), std::nullopt);
  health_.SetDraining();
  EXPECT_EQ(health_.WhyNotReady(), "draining");
  EXPECT_FALSE(health_.SetServing());
  EXPECT_EQ(health_.WhyNotReady(), "draining") << "there is no way back";
}

TEST_F(HealthStateTest, AHangOfTheHousekeepingThreadIsNoticed) {
  now_ += seconds(1000);
  EXPECT_EQ(health_.WhyNotAlive(), std::nullopt) << "it has not started yet";
  Beat();
  RunWorkers();
  now_ += HealthState::kPatience;
  EXPECT_EQ(health_.WhyNotAlive(), std::nullopt);
  now_ += seconds(1);
  EXPECT_EQ(health_.WhyNotAlive(), "the housekeeping thread has not run for 61 s");
  Beat();
  EXPECT_EQ(health_.WhyNotAlive(), std::nullopt);
}

TEST_F(HealthStateTest, AHangOfTheWorkersIsNoticed) {
  Beat();
  now_ += HealthState::kPatience;
  Beat();
  EXPECT_EQ(scheduled_.size(), 1u) << "one question at a time";
  EXPECT_EQ(health_.WhyNotAlive(), std::nullopt);
  now_ += seconds(1);
  Beat();
  EXPECT_EQ(health_.WhyNotAlive(), "no worker thread has answered for 61 s");
  RunWorkers();
  EXPECT_EQ(health_.WhyNotAlive(), std::nullopt);
}

TEST_F(HealthStateTest, AQuestionThatCannotBeAskedDoesNotCount) {
  health_.Beat([](const std::function<void()>&) { throw std::bad_alloc(); });
  now_ += seconds(61);
  Beat();
  EXPECT_EQ(health_.WhyNotAlive(), std::nullopt);
  EXPECT_EQ(scheduled_.size(), 1u);
}

}  // namespace
}  // namespace stagedoor::server
