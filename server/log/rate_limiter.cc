#include "server/log/rate_limiter.h"

#include <algorithm>
#include <utility>

namespace stagedoor::server {

std::optional<uint64_t> RateLimiter::Admit(Clock::time_point now) {
  MutexLock lock(mu_);
  if (!refilled_.has_value()) refilled_ = now;
  const int64_t earned = (now - *refilled_) / interval_;
  if (earned > 0) {
    tokens_ = std::min(burst_, tokens_ + earned);
    *refilled_ += earned * interval_;
  }
  if (tokens_ == 0) {
    ++held_back_;
    return std::nullopt;
  }
  --tokens_;
  return std::exchange(held_back_, 0);
}

}  // namespace stagedoor::server
