#ifndef STAGEDOOR_SERVER_LOG_RATE_LIMITER_H_
#define STAGEDOOR_SERVER_LOG_RATE_LIMITER_H_

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/mutex.h"

namespace stagedoor::server {

// Admits a burst of `burst` messages and one more per `interval`, and counts the others.
// Thread-safe.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  RateLimiter(int burst, std::chrono::milliseconds interval)
      : burst_(burst), interval_(interval), tokens_(burst) {}

  // Unset if the message is suppressed. Otherwise the number suppressed since the last admitted
  // one.
  std::optional<uint64_t> Admit(Clock::time_point now);

 private:
  const int64_t burst_;
  const std::chrono::milliseconds interval_;

  Mutex mu_;
  int64_t tokens_ ABSL_GUARDED_BY(mu_);
  std::optional<Clock::time_point> refilled_ ABSL_GUARDED_BY(mu_);
  uint64_t held_back_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_RATE_LIMITER_H_
