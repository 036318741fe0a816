#include "server/metrics/health_state.h"

#include <new>
#include <string_view>

#include "base/strings.h"

namespace stagedoor::server {

bool HealthState::SetServing() {
  MutexLock lock(mu_);
  if (phase_ == Phase::kStarting) phase_ = Phase::kServing;
  return phase_ == Phase::kServing;
}

void HealthState::SetDraining() {
  MutexLock lock(mu_);
  phase_ = Phase::kDraining;
}

void HealthState::Beat(const std::function<void(std::function<void()>)>& schedule) {
  {
    MutexLock lock(mu_);
    beat_ = now_();
    if (waiting_.has_value()) return;
    waiting_ = beat_;
  }
  const auto answer = [this] {
    MutexLock lock(mu_);
    waiting_ = std::nullopt;
  };
  try {
    schedule(answer);
  } catch (const std::bad_alloc&) {
    answer();  // the workers are not to blame
  }
}

std::optional<std::string> HealthState::WhyNotAlive() const {
  const Clock::time_point now = now_();
  const auto silence = [now](std::string_view what, std::optional<Clock::time_point> since) {
    const auto time = since.has_value() ? now - *since : Clock::duration(0);
    if (time <= kPatience) return std::optional<std::string>();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
    return std::optional<std::string>(Concat(what, " for ", seconds, " s"));
  };
  MutexLock lock(mu_);
  if (auto why = silence("the housekeeping thread has not run", beat_)) return why;
  return silence("no worker thread has answered", waiting_);
}

std::optional<std::string> HealthState::WhyNotReady() const {
  MutexLock lock(mu_);
  switch (phase_) {
    case Phase::kStarting:
      return "starting";
    case Phase::kServing:
      return std::nullopt;
    case Phase::kDraining:
      return "draining";
  }
  return std::nullopt;
}

}  // namespace stagedoor::server
