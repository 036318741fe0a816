#include "server/lifecycle/drain_steps.h"

#include <algorithm>

namespace stagedoor {
namespace {

DrainStep After(DrainStep step) {
  switch (step) {
    case DrainStep::kServing:
      return DrainStep::kAnnounced;
    case DrainStep::kAnnounced:
      return DrainStep::kFinishing;
    case DrainStep::kFinishing:
      return DrainStep::kCancelling;
    default:
      return DrainStep::kGivenUp;
  }
}

}  // namespace

void DrainSteps::Signal(Time now) {
  if (step_ == DrainStep::kGivenUp) return;
  hurried_ = step_ != DrainStep::kServing;
  Enter(After(step_), now);
  Advance(now);
}

void DrainSteps::Advance(Time now) {
  while (now >= deadline_) Enter(After(step_), now);
}

void DrainSteps::Observe(Time now, size_t calls) {
  Advance(now);
  const bool waiting = step_ == DrainStep::kFinishing || step_ == DrainStep::kCancelling;
  if (calls != 0 || !waiting) {
    quiet_since_.reset();
  } else if (!quiet_since_.has_value()) {
    quiet_since_ = now;
  } else if (now - *quiet_since_ >= kQuiet) {
    Enter(After(step_), now);
  }
}

void DrainSteps::Enter(DrainStep step, Time now) {
  step_ = step;
  quiet_since_.reset();
  switch (step) {
    case DrainStep::kAnnounced:
      deadline_ = now + times_.delay;
      break;
    case DrainStep::kFinishing:
      deadline_ = now + times_.patience;
      break;
    case DrainStep::kCancelling:
      deadline_ = now + (hurried_ ? std::min(times_.last_patience, kHurriedPatience)
                                  : times_.last_patience);
      break;
    default:
      deadline_ = Time::max();
  }
}

}  // namespace stagedoor
