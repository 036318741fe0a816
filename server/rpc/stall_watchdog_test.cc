#include "server/rpc/stall_watchdog.h"

#include <gtest/gtest.h>

namespace stagedoor::server {
namespace {

using std::chrono::seconds;
using Time = StallWatchdog::Clock::time_point;

class TestWriter final : public StallWatchdog::Writer {
 public:
  explicit TestWriter(StallWatchdog& watch) : watch_(watch) {}
  void AbortStalled(seconds) override {
    ++cut;
    watch_.WriteDone(*this);  // as gRPC may, on the same thread
  }
  int cut = 0;

 private:
  StallWatchdog& watch_;
};

class StallWatchdogTest : public ::testing::Test {
 protected:
  Time now_ = Time(seconds(100));
  StallWatchdog watch_{seconds(10), [this] { return now_; }};
  TestWriter first_{watch_}, second_{watch_};
};

TEST_F(StallWatchdogTest, AbortsCallsThatWaitTooLong) {
  watch_.WriteStarted(first_, Time::max());
  now_ += seconds(6);
  watch_.WriteStarted(second_, Time::max());
  now_ += seconds(4);
  watch_.Sweep();
  EXPECT_EQ(first_.cut, 1);
  EXPECT_EQ(second_.cut, 0);
  EXPECT_EQ(watch_.waiting(), 1u);
  now_ += seconds(10);
  watch_.Sweep();
  EXPECT_EQ(first_.cut, 1);
  EXPECT_EQ(second_.cut, 1);
  EXPECT_EQ(watch_.aborted_calls(), 2u);
}

TEST_F(StallWatchdogTest, KeepsCallsWhoseClientsRead) {
  for (int message = 0; message < 10; ++message) {
    watch_.WriteStarted(first_, Time::max());
    now_ += seconds(9);
    watch_.Sweep();
    watch_.WriteDone(first_);
  }
  now_ += seconds(100);
  watch_.Sweep();
  EXPECT_EQ(first_.cut, 0);
  EXPECT_EQ(watch_.waiting(), 0u);
}

TEST_F(StallWatchdogTest, AbortsCallsAtTheirDeadline) {
  watch_.WriteStarted(first_, now_ + seconds(3));
  now_ += seconds(3);
  watch_.Sweep();
  EXPECT_EQ(first_.cut, 1);
}

}  // namespace
}  // namespace stagedoor::server
