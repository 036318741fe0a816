#include "client/cc/short_timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <vector>

namespace stagedoor {
namespace {

using std::chrono::microseconds;

TEST(ShortTimerTest, RunsFunctionsInTheOrderOfTheirTimes) {
  static auto* timer = new ShortTimer;  // never destroyed
  std::vector<int> order;
  std::promise<void> blocked, release, done;
  timer->RunAfter(microseconds(0), [&] {
    blocked.set_value();
    release.get_future().wait();
  });
  blocked.get_future().wait();
  timer->RunAfter(microseconds(2000), [&] {
    order.push_back(2);
    done.set_value();
  });
  timer->RunAfter(microseconds(10), [&] { order.push_back(1); });
  release.set_value();
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(ShortTimerTest, DoesNotRunFunctionsEarly) {
  static auto* timer = new ShortTimer;
  const auto start = std::chrono::steady_clock::now();
  std::promise<void> done;
  timer->RunAfter(microseconds(300), [&] { done.set_value(); });
  done.get_future().wait();
  EXPECT_GE(std::chrono::steady_clock::now() - start, microseconds(300));
}

TEST(ShortTimerTest, FunctionsMayScheduleOthers) {
  static auto* timer = new ShortTimer;
  std::promise<void> done;
  timer->RunAfter(microseconds(1),
                  [&] { timer->RunAfter(microseconds(1), [&] { done.set_value(); }); });
  done.get_future().wait();
}

}  // namespace
}  // namespace stagedoor
