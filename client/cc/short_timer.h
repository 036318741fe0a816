#ifndef STAGEDOOR_CLIENT_CC_SHORT_TIMER_H_
#define STAGEDOOR_CLIENT_CC_SHORT_TIMER_H_

#include <chrono>
#include <functional>
#include <queue>
#include <vector>

#include "base/mutex.h"

namespace stagedoor {

// Runs functions after pauses of microseconds, on a thread that it starts with the first of them.
// Never destroyed: the thread runs until the process ends. Thread-safe.
class ShortTimer {
 public:
  ShortTimer() = default;
  ShortTimer(const ShortTimer&) = delete;
  ShortTimer& operator=(const ShortTimer&) = delete;

  // `fn` must not block.
  void RunAfter(std::chrono::microseconds pause, std::function<void()> fn);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Event {
    Time time;
    std::function<void()> fn;
    bool operator<(const Event& other) const { return time > other.time; }  // earliest on top
  };

  void Run();

  Mutex mu_;
  CondVar changed_;
  std::priority_queue<Event> events_ ABSL_GUARDED_BY(mu_);
  bool started_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_SHORT_TIMER_H_
