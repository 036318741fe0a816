#ifndef STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STEPS_H_
#define STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STEPS_H_

#include <chrono>
#include <cstddef>
#include <optional>

namespace stagedoor {

// How long each step of stopping may take.
struct DrainTimes {
  std::chrono::milliseconds delay{0};             // not ready any more, but still serving
  std::chrono::milliseconds patience{5000};       // running calls may finish
  std::chrono::milliseconds last_patience{5000};  // cancelled calls may end
};

enum class DrainStep {
  kServing,
  kAnnounced,   // NOT_SERVING to health checks; calls are taken as before
  kFinishing,   // no new calls; those that run may finish
  kCancelling,  // those that still run are cancelled, connections closed
  kGivenUp,     // some do not even end then: the process has to end without them
};

// The steps of stopping a daemon: the first signal begins it, time leads from step to step, and
// each further signal leads to the next step at once. Knows no clock and does nothing by itself.
// Not thread-safe.
class DrainSteps {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // After a second signal, cancelled calls have at most this long.
  static constexpr std::chrono::milliseconds kHurriedPatience{1000};

  // Without any call for so long, the connections are closed, which clients that sleep keep open;
  // those that do not close in as long again are left to the kernel.
  static constexpr std::chrono::milliseconds kQuiet{250};

  explicit DrainSteps(const DrainTimes& times) : times_(times) {}

  DrainStep step() const { return step_; }
  // When the step ends by itself; Time::max() while serving and after the last.
  Time deadline() const { return deadline_; }

  // A signal to stop arrived.
  void Signal(Time now);
  // It is `now`: takes the steps that are due.
  void Advance(Time now);
  // The same, and so many calls are in flight. To be called every now and then from kFinishing on.
  void Observe(Time now, size_t calls);

 private:
  void Enter(DrainStep step, Time now);

  const DrainTimes times_;
  DrainStep step_ = DrainStep::kServing;
  Time deadline_ = Time::max();
  bool hurried_ = false;
  std::optional<Time> quiet_since_;  // in this step
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STEPS_H_
