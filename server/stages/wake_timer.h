#ifndef STAGEDOOR_SERVER_STAGES_WAKE_TIMER_H_
#define STAGEDOOR_SERVER_STAGES_WAKE_TIMER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "base/mutex.h"

namespace stagedoor::server {

// Calls functions at given times, on one thread for all of them, which starts when it is first
// needed. Thread-safe.
class WakeTimer {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    std::function<Clock::time_point()> now = Clock::now;
    bool start_thread = true;  // tests call RunDue instead
  };
  // Names a function that has been scheduled, for Cancel.
  using Key = std::pair<Clock::time_point, uint64_t>;

  explicit WakeTimer(Options options) : options_(std::move(options)) {}
  // Functions that are not due yet are dropped.
  ~WakeTimer();

  Clock::time_point now() const { return options_.now(); }

  // Calls `fn`, which must be quick, at `when` or soon after it.
  Key Schedule(Clock::time_point when, std::function<void()> fn);
  // Drops a function. No effect if it was called, or is being called.
  void Cancel(const Key& key);

  // Calls the functions that are due. Returns the time of the next one.
  Clock::time_point RunDue();
  size_t size() const;

 private:
  void Run();

  const Options options_;
  mutable Mutex mu_;
  CondVar wake_;
  std::map<Key, std::function<void()>> entries_ ABSL_GUARDED_BY(mu_);
  uint64_t last_ ABSL_GUARDED_BY(mu_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_WAKE_TIMER_H_
