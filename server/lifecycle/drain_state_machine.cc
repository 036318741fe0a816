#include "server/lifecycle/drain_state_machine.h"

#include <algorithm>

namespace stagedoor::server {
namespace {

DrainState After(DrainState state) {
  switch (state) {
    case DrainState::kServing:
      return DrainState::kLameDuck;
    case DrainState::kLameDuck:
      return DrainState::kDraining;
    case DrainState::kDraining:
      return DrainState::kCancelling;
    default:
      return DrainState::kAbandoned;
  }
}

}  // namespace

void DrainStateMachine::Signal(Time now) {
  if (state_ == DrainState::kAbandoned) return;
  hurried_ = state_ != DrainState::kServing;
  Enter(After(state_), now);
  Advance(now);
}

void DrainStateMachine::Advance(Time now) {
  while (now >= deadline_) Enter(After(state_), now);
}

void DrainStateMachine::Observe(Time now, size_t calls) {
  Advance(now);
  const bool waiting = state_ == DrainState::kDraining || state_ == DrainState::kCancelling;
  if (calls != 0 || !waiting) {
    quiet_since_.reset();
  } else if (!quiet_since_.has_value()) {
    quiet_since_ = now;
  } else if (now - *quiet_since_ >= kQuiet) {
    Enter(After(state_), now);
  }
}

void DrainStateMachine::Enter(DrainState state, Time now) {
  state_ = state;
  quiet_since_.reset();
  switch (state) {
    case DrainState::kLameDuck:
      deadline_ = now + times_.delay;
      break;
    case DrainState::kDraining:
      deadline_ = now + times_.grace_period;
      break;
    case DrainState::kCancelling:
      deadline_ = now + (hurried_ ? std::min(times_.cancel_grace_period, kSecondSignalGracePeriod)
                                  : times_.cancel_grace_period);
      break;
    default:
      deadline_ = Time::max();
  }
}

}  // namespace stagedoor::server
