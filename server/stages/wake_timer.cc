#include "server/stages/wake_timer.h"

#include <vector>

namespace stagedoor::server {

WakeTimer::~WakeTimer() {
  std::thread thread;
  {
    MutexLock lock(mu_);
    stopping_ = true;
    wake_.NotifyAll();
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

WakeTimer::Key WakeTimer::Schedule(Clock::time_point when, std::function<void()> fn) {
  MutexLock lock(mu_);
  if (options_.start_thread && !thread_.joinable()) thread_ = std::thread([this] { Run(); });
  const Key key(when, ++last_);
  entries_.emplace(key, std::move(fn));
  wake_.NotifyAll();
  return key;
}

void WakeTimer::Cancel(const Key& key) {
  std::function<void()> dropped;  // destroyed after the lock is released
  MutexLock lock(mu_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return;
  dropped = std::move(entry->second);
  entries_.erase(entry);
}

WakeTimer::Clock::time_point WakeTimer::RunDue() {
  std::vector<std::function<void()>> due;
  Clock::time_point next = Clock::time_point::max();
  {
    const Clock::time_point now = options_.now();
    MutexLock lock(mu_);
    while (!entries_.empty() && entries_.begin()->first.first <= now) {
      due.push_back(std::move(entries_.begin()->second));
      entries_.erase(entries_.begin());
    }
    if (!entries_.empty()) next = entries_.begin()->first.first;
  }
  for (const auto& fn : due) fn();
  return next;
}

size_t WakeTimer::size() const {
  MutexLock lock(mu_);
  return entries_.size();
}

void WakeTimer::Run() {
  for (;;) {
    RunDue();
    MutexLock lock(mu_);
    if (stopping_) return;
    if (entries_.empty()) {
      wake_.Wait(mu_);
    } else if (entries_.begin()->first.first > options_.now()) {
      wake_.WaitUntil(mu_, entries_.begin()->first.first);
    }
    if (stopping_) return;
  }
}

}  // namespace stagedoor::server
