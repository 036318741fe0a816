#ifndef STAGEDOOR_SERVER_METRICS_HEALTH_STATE_H_
#define STAGEDOOR_SERVER_METRICS_HEALTH_STATE_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace stagedoor::server {

// Whether the daemon lives and whether it wants calls, for the probes of service managers and load
// balancers. Thread-safe.
class HealthState {
 public:
  using Clock = std::chrono::steady_clock;

  // A thread that has not answered for this long hangs. Long enough that no load is mistaken for
  // that.
  static constexpr std::chrono::seconds kPatience{60};

  explicit HealthState(std::function<Clock::time_point()> now = Clock::now)
      : now_(std::move(now)) {}
  HealthState(const HealthState&) = delete;
  HealthState& operator=(const HealthState&) = delete;

  // False, and without effect, once it drains.
  bool SetServing();
  void SetDraining();

  // To be called about once a second by the thread that keeps house. `schedule` runs a function on
  // a worker thread, before this object is destroyed.
  void Beat(const std::function<void(std::function<void()>)>& schedule);

  // Unset if the threads answer, otherwise what is wrong.
  std::optional<std::string> WhyNotAlive() const;
  // Unset while the daemon serves, otherwise "starting" or "draining".
  std::optional<std::string> WhyNotReady() const;

 private:
  enum class Phase { kStarting, kServing, kDraining };

  const std::function<Clock::time_point()> now_;
  mutable Mutex mu_;
  Phase phase_ ABSL_GUARDED_BY(mu_) = Phase::kStarting;
  std::optional<Clock::time_point> beat_ ABSL_GUARDED_BY(mu_);     // the latest
  std::optional<Clock::time_point> waiting_ ABSL_GUARDED_BY(mu_);  // since when for a worker
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_HEALTH_STATE_H_
