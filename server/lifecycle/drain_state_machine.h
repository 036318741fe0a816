#ifndef STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STATE_MACHINE_H_
#define STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STATE_MACHINE_H_

#include <chrono>
#include <cstddef>
#include <optional>

namespace stagedoor::server {

// The maximum duration of each step of stopping.
struct DrainTimeouts {
  std::chrono::milliseconds delay{0};                   // not ready, but still serving
  std::chrono::milliseconds grace_period{5000};         // running calls may finish
  std::chrono::milliseconds cancel_grace_period{5000};  // cancelled calls may end
};

enum class DrainState {
  kServing,
  kLameDuck,    // health checks report NOT_SERVING; calls are still accepted
  kDraining,    // no new calls; running calls may finish
  kCancelling,  // running calls are cancelled and connections closed
  kAbandoned,   // some calls have not ended: the process must exit regardless
};

// The steps of stopping a daemon. The first signal starts them, timeouts lead from step to step,
// and each further signal starts the next step immediately. Has no clock and performs no actions:
// the caller passes the time and acts on state(). Not thread-safe.
class DrainStateMachine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The maximum time for cancelled calls to end after a second signal.
  static constexpr std::chrono::milliseconds kSecondSignalGracePeriod{1000};

  // Once no call has been in flight for this long, the connections that idle clients keep open are
  // closed; those still open after the same time again are left to the kernel.
  static constexpr std::chrono::milliseconds kQuiet{250};

  explicit DrainStateMachine(const DrainTimeouts& times) : times_(times) {}

  DrainState state() const { return state_; }
  // When the current step times out. Time::max() while serving and in the last step.
  Time deadline() const { return deadline_; }

  // To be called when a signal to stop arrives.
  void Signal(Time now);
  // Takes the steps whose timeouts have passed at `now`.
  void Advance(Time now);
  // As Advance, given the number of `calls` in flight. To be called periodically from kDraining on.
  void Observe(Time now, size_t calls);

 private:
  void Enter(DrainState state, Time now);

  const DrainTimeouts times_;
  DrainState state_ = DrainState::kServing;
  Time deadline_ = Time::max();
  bool hurried_ = false;
  std::optional<Time> quiet_since_;  // since when no call was in flight in this step
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STATE_MACHINE_H_
