#ifndef STAGEDOOR_SERVER_STAGES_CHANGE_SIGNAL_H_
#define STAGEDOOR_SERVER_STAGES_CHANGE_SIGNAL_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/request_scope.h"

namespace stagedoor::server {

// Tells one listener that what it watches has changed or ended. Those who notify hold it weakly.
// Thread-safe.
class ChangeSignal {
 public:
  enum class State { kQuiet, kChanged, kEnded };

  // From now on, until Clear, each notification calls `wake` on the thread of the notifier.
  // Returns what was notified since the last Clear.
  State Wait(std::function<void(State)> wake) {
    MutexLock lock(mu_);
    wake_ = std::move(wake);
    return state_;
  }
  // Forgets changes so far, before the listener looks at what it watches.
  void Clear() {
    std::function<void(State)> dropped;  // destroyed after the lock is released
    MutexLock lock(mu_);
    dropped = std::exchange(wake_, nullptr);
    if (state_ == State::kChanged) state_ = State::kQuiet;
  }

  void NotifyChange() { Notify(State::kChanged); }
  // To be called when the watched object does not exist any more.
  void NotifyEnd() { Notify(State::kEnded); }

 private:
  void Notify(State state) {
    const RequestMemoryExemption exempt;  // not the work of the request that makes the change
    std::function<void(State)> wake;
    {
      MutexLock lock(mu_);
      state_ = std::max(state_, state);
      wake = wake_;
    }
    if (wake) wake(state);
  }

  Mutex mu_;
  State state_ ABSL_GUARDED_BY(mu_) = State::kQuiet;
  std::function<void(State)> wake_ ABSL_GUARDED_BY(mu_);
};

// The signals of those who watch one object. Not thread-safe.
class ChangeSignals {
 public:
  void Add(const std::shared_ptr<ChangeSignal>& signal) {
    if (signals_.size() >= sweep_at_) {
      std::erase_if(signals_, [](const auto& weak) { return weak.expired(); });
      sweep_at_ = std::max<size_t>(16, 2 * signals_.size());
    }
    signals_.push_back(signal);
  }
  // The signals to notify, without the lock of the owner.
  std::vector<std::shared_ptr<ChangeSignal>> Living() const {
    std::vector<std::shared_ptr<ChangeSignal>> living;
    for (const auto& weak : signals_) {
      if (auto signal = weak.lock()) living.push_back(std::move(signal));
    }
    return living;
  }

 private:
  std::vector<std::weak_ptr<ChangeSignal>> signals_;
  size_t sweep_at_ = 16;  // doubles, so that adding takes constant time on average
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_CHANGE_SIGNAL_H_
