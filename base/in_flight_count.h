#ifndef STAGEDOOR_BASE_IN_FLIGHT_COUNT_H_
#define STAGEDOOR_BASE_IN_FLIGHT_COUNT_H_

#include <chrono>
#include <cstddef>

#include "base/mutex.h"

namespace stagedoor {

// Counts operations in flight for one that must not end before them. Thread-safe. May be destroyed
// once a wait has ended, if no operation begins any more.
class InFlightCount {
 public:
  InFlightCount() = default;
  InFlightCount(const InFlightCount&) = delete;
  InFlightCount& operator=(const InFlightCount&) = delete;

  void Begin() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(mu_);
    ++count_;
  }
  // False, and none begins, if `most` are in flight.
  bool TryBegin(size_t most) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(mu_);
    if (count_ >= most) return false;
    ++count_;
    return true;
  }
  void End() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(mu_);
    // Under the lock, so that a wait does not end before the notification has.
    if (--count_ == 0) none_.NotifyAll();
  }

  size_t count() const ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(mu_);
    return count_;
  }

  // Waits until no operation is in flight.
  void WaitForNone() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(mu_);
    while (count_ > 0) none_.Wait(mu_);
  }
  // Waits at most until `deadline`. Returns whether no operation is in flight.
  bool WaitForNone(std::chrono::steady_clock::time_point deadline) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(mu_);
    while (count_ > 0 && none_.WaitUntil(mu_, deadline)) {
    }
    return count_ == 0;
  }

 private:
  mutable Mutex mu_;
  CondVar none_;
  size_t count_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_IN_FLIGHT_COUNT_H_
