#ifndef STAGEDOOR_CLIENT_CC_RETRY_POLICY_H_
#define STAGEDOOR_CLIENT_CC_RETRY_POLICY_H_

#include <grpcpp/support/status.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "client/cc/client.h"

namespace stagedoor {

// Where a client takes the time from and how it pauses; tests have their own. Thread-safe.
class RetryClock {
 public:
  using Time = std::chrono::system_clock::time_point;

  virtual ~RetryClock() = default;
  virtual Time Now() = 0;
  virtual void Sleep(std::chrono::milliseconds pause) = 0;
  // Runs `fn` once, after `pause`, on any thread.
  virtual void RunAfter(std::chrono::milliseconds pause, std::function<void()> fn) = 0;

  // The real one.
  static RetryClock& Default();
};

// When one call is tried again, as docs/user_guide.md describes it. Knows no clock. Not
// thread-safe.
class RetryPolicy {
 public:
  using Time = RetryClock::Time;

  RetryPolicy(const ClientOptions& options, Time start);

  Time deadline() const { return deadline_; }

  // The pause before the next attempt, or none: the call has failed for good. `daemon_known`: it
  // has answered this client before. `random` spreads the pauses of a farm's nodes.
  std::optional<std::chrono::milliseconds> NextBackoff(const grpc::Status& status,
                                                       bool daemon_known, Time now,
                                                       uint32_t random);

 private:
  const Time deadline_;          // of the call
  const Time connect_deadline_;  // for a daemon that never answered
  int answers_left_;             // refusals of the daemon itself that may follow
  const std::chrono::milliseconds max_backoff_;
  std::chrono::milliseconds backoff_;
};

// Whether `status` was made on the way and not by a Stagedoor daemon: nothing is there, or the
// connection broke.
bool IsConnectionFailure(const grpc::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_RETRY_POLICY_H_
