#include "server/rpc/stall_watch.h"

#include <gtest/gtest.h>

namespace stagedoor {
namespace {

using std::chrono::seconds;
using Time = StallWatch::Clock::time_point;

class TestSender final : public StallWatch::Sender {
 public:
  explicit TestSender(StallWatch& watch) : watch_(watch) {}
  void CutOff(seconds) override {
    ++cut;
    watch_.Taken(*this);  // as gRPC may, on the same thread
  }
  int cut = 0;

 private:
  StallWatch& watch_;
};

class StallWatchTest : public ::testing::Test {
 protected:
  Time now_ = Time(seconds(100));
  StallWatch watch_{seconds(10), [this] { return now_; }};
  TestSender first_{watch_}, second_{watch_};
};

TEST_F(StallWatchTest, CutsOffWhoeverWaitsTooLong) {
  watch_.Sent(first_, Time::max());
  now_ += seconds(6);
  watch_.Sent(second_, Time::max());
  now_ += seconds(4);
  watch_.Sweep();
  EXPECT_EQ(first_.cut, 1);
  EXPECT_EQ(second_.cut, 0);
  EXPECT_EQ(watch_.waiting(), 1u);
  now_ += seconds(10);
  watch_.Sweep();
  EXPECT_EQ(first_.cut, 1);
  EXPECT_EQ(second_.cut, 1);
  EXPECT_EQ(watch_.cut_off(), 2u);
}

TEST_F(StallWatchTest, LeavesAloneWhoReads) {
  for (int message = 0; message < 10; ++message) {
    watch_.Sent(first_, Time::max());
    now_ += seconds(9);
    watch_.Sweep();
    watch_.Taken(first_);
  }
  now_ += seconds(100);
  watch_.Sweep();
  EXPECT_EQ(first_.cut, 0);
  EXPECT_EQ(watch_.waiting(), 0u);
}

TEST_F(StallWatchTest, NobodyWaitsBehindItsDeadline) {
  watch_.Sent(first_, now_ + seconds(3));
  now_ += seconds(3);
  watch_.Sweep();
  EXPECT_EQ(first_.cut, 1);
}

}  // namespace
}  // namespace stagedoor
