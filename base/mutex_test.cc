#include "base/mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

// Whether another thread cannot enter while this one holds the mutex after `wait`.
bool HoldsAfter(const std::function<void(CondVar&, Mutex&)>& wait) {
  Mutex mu;
  CondVar changed;
  std::atomic<bool> entered{false};
  mu.Lock();
  wait(changed, mu);
  std::thread other([&] {
    const MutexLock lock(mu);
    entered = true;
  });
  for (int i = 0; i < 1000 && !entered; ++i) std::this_thread::yield();
  const bool held = !entered;
  mu.Unlock();
  other.join();
  return held && entered;
}

TEST(CondVarTest, AWaitEndsWithTheMutexHeld) {
  EXPECT_TRUE(HoldsAfter([](CondVar& changed, Mutex& mu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    bool done = false;
    std::thread notifier([&] {
      const MutexLock lock(mu);
      done = true;
      changed.NotifyAll();
    });
    while (!done) changed.Wait(mu);
    notifier.join();
  }));
  EXPECT_TRUE(HoldsAfter([](CondVar& changed, Mutex& mu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(1);
    while (changed.WaitUntil(mu, deadline)) {
    }
    EXPECT_GE(Clock::now(), deadline);
  }));
}

TEST(CondVarTest, AWaitUntilThePastReturnsAtOnce) {
  Mutex mu;
  CondVar changed;
  const MutexLock lock(mu);
  EXPECT_FALSE(changed.WaitUntil(mu, Clock::now()));
  EXPECT_FALSE(changed.WaitUntil(mu, Clock::time_point::min()));
}

// The end of time may be too far away to be added to a clock.
TEST(CondVarTest, ADistantDeadlineIsNoDeadline) {
  Mutex mu;
  CondVar changed;
  bool done = false;
  std::thread notifier([&] {
    const MutexLock lock(mu);
    done = true;
    changed.NotifyOne();
  });
  {
    const MutexLock lock(mu);
    while (!done) EXPECT_TRUE(changed.WaitUntil(mu, Clock::time_point::max()));
  }
  notifier.join();
}

}  // namespace
}  // namespace stagedoor
