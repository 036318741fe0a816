#ifndef STAGEDOOR_RESOLVER_HTTP_RETRY_POLICY_H_
#define STAGEDOOR_RESOLVER_HTTP_RETRY_POLICY_H_

#include <chrono>
#include <functional>
#include <optional>

namespace stagedoor {

// When a request is retried: exponential backoff with full jitter, so that clients which failed
// together do not return together. Thread-safe if the functions are.
struct RetryPolicy {
  using Duration = std::chrono::milliseconds;

  int attempts = 4;  // without progress, the first one included
  Duration first_delay{100};
  Duration longest_delay{2000};
  // A server may ask for a longer delay (Retry-After), up to this.
  Duration longest_retry_after{5000};
  // A random number from 0 to 1. May be null, in which case there is a good one.
  std::function<double()> random;
  // Given the delay, returns how long to wait really. May be null. For tests.
  std::function<Duration(Duration)> wait;

  // How long to wait after the failure number `failures`, which counts from 1.
  Duration Delay(int failures, std::optional<Duration> retry_after) const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_RETRY_POLICY_H_
