#include "server/stages/wake_timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <vector>

#include "base/mutex.h"

namespace stagedoor::server {
namespace {

using std::chrono::seconds;

TEST(WakeTimerTest, CallsFunctionsInOrderWhenTheyAreDue) {
  WakeTimer::Clock::time_point now{seconds(0)};
  WakeTimer timer({.now = [&] { return now; }, .start_thread = false});
  std::vector<int> called;
  const auto at = [&](int second) { return WakeTimer::Clock::time_point(seconds(second)); };
  timer.Schedule(at(3), [&] { called.push_back(3); });
  const auto dropped = timer.Schedule(at(1), [&] { called.push_back(1); });
  timer.Schedule(at(2), [&] { called.push_back(2); });
  timer.Cancel(dropped);
  EXPECT_EQ(timer.RunDue(), at(2));
  now = at(2);
  EXPECT_EQ(timer.RunDue(), at(3));
  EXPECT_EQ(called, (std::vector<int>{2}));
  now = at(9);
  EXPECT_EQ(timer.RunDue(), WakeTimer::Clock::time_point::max());
  EXPECT_EQ(called, (std::vector<int>{2, 3}));
  EXPECT_EQ(timer.size(), 0u);
}

TEST(WakeTimerTest, ItsThreadCallsThem) {
  Mutex mu;
  CondVar done;
  int called = 0;
  WakeTimer timer({});
  for (int i = 0; i < 2; ++i) {
    timer.Schedule(WakeTimer::Clock::now(), [&] {
      MutexLock lock(mu);
      ++called;
      done.NotifyAll();
    });
  }
  MutexLock lock(mu);
  while (called < 2) done.Wait(mu);
}

// Several times, because the thread may not wait yet when the timer is destroyed.
TEST(WakeTimerTest, ItsEndWakesTheThread) {
  for (int i = 0; i < 20; ++i) {
    std::promise<void> called;
    WakeTimer timer({});
    timer.Schedule(timer.now(), [&] { called.set_value(); });
    called.get_future().wait();
    EXPECT_EQ(timer.size(), 0u) << "the thread waits without an end";
  }
}

}  // namespace
}  // namespace stagedoor::server
