#ifndef STAGEDOOR_CLIENT_CC_RETRY_POLICY_H_
#define STAGEDOOR_CLIENT_CC_RETRY_POLICY_H_

#include <grpcpp/support/status.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "client/cc/client_options.h"

namespace stagedoor {

// The clock and the timers of a client, which tests replace. Thread-safe.
class RetryClock {
 public:
  using Time = std::chrono::system_clock::time_point;

  virtual ~RetryClock() = default;
  virtual Time Now() = 0;
  virtual void Sleep(std::chrono::milliseconds pause) = 0;
  // Runs `fn` once, after `pause`, on any thread. `fn` must not block.
  virtual void RunAfter(std::chrono::microseconds pause, std::function<void()> fn) = 0;

  // The system clock; never destroyed.
  static RetryClock& Default();
};

// Decides whether and when one call is retried (docs/user_guide.md, "Errors"). The caller supplies
// the time. Not thread-safe.
class RetryPolicy {
 public:
  using Time = RetryClock::Time;

  RetryPolicy(const ClientOptions& options, Time start)
      : RetryPolicy(options, start, options.timeout) {}
  // `timeout` takes the place of the one of the options.
  RetryPolicy(const ClientOptions& options, Time start, std::chrono::milliseconds timeout);

  Time deadline() const { return deadline_; }
  // Until when the call is repeated if no daemon has ever answered.
  Time connect_deadline() const { return connect_deadline_; }

  // Returns the backoff before the next attempt, or nullopt if the call has failed for good.
  // `daemon_known` is true once a daemon has answered this client. `random` spreads the retries of
  // a farm's nodes over time.
  std::optional<std::chrono::milliseconds> NextBackoff(const grpc::Status& status,
                                                       bool daemon_known, Time now,
                                                       uint32_t random);

 private:
  const Time deadline_;            // of the call
  const Time connect_deadline_;    // for a daemon that never answered
  const Time reconnect_deadline_;  // for one that has
  int answers_left_;               // rejections by the daemon that may still be retried
  const std::chrono::milliseconds max_backoff_;
  std::chrono::milliseconds backoff_;
};

// Whether `status` comes from the transport and not from a Stagedoor daemon: nothing listens at the
// address, or the connection broke.
bool IsConnectionFailure(const grpc::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_RETRY_POLICY_H_
