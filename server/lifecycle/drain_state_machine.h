#ifndef STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STATE_MACHINE_H_
#define STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STATE_MACHINE_H_

#include <chrono>
#include <cstddef>
#include <optional>

namespace stagedoor {

// How long each step of stopping may take.
struct DrainTimeouts {
  std::chrono::milliseconds delay{0};                   // not ready any more, but still serving
  std::chrono::milliseconds grace_period{5000};         // running calls may finish
  std::chrono::milliseconds cancel_grace_period{5000};  // cancelled calls may end
};

enum class DrainState {
  kServing,
  kLameDuck,    // NOT_SERVING to health checks; calls are taken as before
  kDraining,    // no new calls; those that run may finish
  kCancelling,  // those that still run are cancelled, connections closed
  kAbandoned,   // some do not even end then: the process has to end without them
};

// The steps of stopping a daemon: the first signal begins it, time leads from step to step, and
// each further signal leads to the next step at once. Knows no clock and does nothing by itself.
// Not thread-safe.
class DrainStateMachine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // After a second signal, cancelled calls have at most this long.
  static constexpr std::chrono::milliseconds kSecondSignalGracePeriod{1000};

  // Without any call for so long, the connections are closed, which clients that sleep keep open;
  // those that do not close in as long again are left to the kernel.
  static constexpr std::chrono::milliseconds kQuiet{250};

  explicit DrainStateMachine(const DrainTimeouts& times) : times_(times) {}

  DrainState state() const { return state_; }
  // When the step ends by itself; Time::max() while serving and after the last.
  Time deadline() const { return deadline_; }

  // A signal to stop arrived.
  void Signal(Time now);
  // It is `now`: takes the steps that are due.
  void Advance(Time now);
  // The same, and so many calls are in flight. To be called every now and then from kDraining on.
  void Observe(Time now, size_t calls);

 private:
  void Enter(DrainState state, Time now);

  const DrainTimeouts times_;
  DrainState state_ = DrainState::kServing;
  Time deadline_ = Time::max();
  bool hurried_ = false;
  std::optional<Time> quiet_since_;  // in this step
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LIFECYCLE_DRAIN_STATE_MACHINE_H_
