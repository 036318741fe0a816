#include "client/cc/short_timer.h"

#include <thread>
#include <utility>

namespace stagedoor {

void ShortTimer::RunAfter(std::chrono::microseconds pause, std::function<void()> fn) {
  const Time time = std::chrono::steady_clock::now() + pause;
  MutexLock lock(mu_);
  if (!started_) {
    started_ = true;
    std::thread([this] { Run(); }).detach();
  }
  const bool earliest = events_.empty() || time < events_.top().time;
  events_.push({time, std::move(fn)});
  if (earliest) changed_.NotifyOne();
}

void ShortTimer::Run() {
  mu_.Lock();
  for (;;) {
    if (events_.empty()) {
      changed_.Wait(mu_);
    } else if (events_.top().time > std::chrono::steady_clock::now()) {
      changed_.WaitUntil(mu_, events_.top().time);
    } else {
      const std::function<void()> fn = events_.top().fn;
      events_.pop();
      mu_.Unlock();
      fn();
      mu_.Lock();
    }
  }
}

}  // namespace stagedoor
