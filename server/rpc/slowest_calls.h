#ifndef STAGEDOOR_SERVER_RPC_SLOWEST_CALLS_H_
#define STAGEDOOR_SERVER_RPC_SLOWEST_CALLS_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "server/log/request_log.h"

namespace stagedoor::server {

// A call that has ended, as operators see it.
struct EndedCall {
  std::string_view method;  // lives as long as the server's counters
  std::string identity;     // empty if it is not known
  std::string peer;
  std::string request_id;
  std::string stage;                     // the root layer; empty if it worked on none
  std::chrono::nanoseconds duration{0};  // from its arrival to its end
  std::chrono::nanoseconds queued{0};
  std::chrono::nanoseconds worked{0};
  std::chrono::steady_clock::time_point ended;
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string message;  // of the error, truncated
  std::string reasons;  // SlowCallReasons

  std::chrono::nanoseconds spent() const { return queued + worked; }
};

// The slowest of the calls that have ended lately. What counts is the time in the queue and at
// work, as in the log of slow calls, not the time that clients take to read. A call that is not
// among the slowest pays for one load of an atomic variable. Thread-safe.
class SlowestCalls {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kMaxCalls = 50;
  static constexpr std::chrono::minutes kWindow{10};
  static constexpr size_t kMaxMessageBytes = 1000;

  explicit SlowestCalls(std::function<Clock::time_point()> now = Clock::now)
      : now_(std::move(now)) {}

  // Whether a call that took `spent`, apart from waits for its client, is worth a record.
  bool Wants(std::chrono::nanoseconds spent) const {
    return spent.count() > threshold_.load(std::memory_order_relaxed);
  }
  // Adds a call that ended now. Drops another one if there are too many.
  void Add(const RequestRecord& record);

  // Drops the calls that ended too long ago. To be called periodically, because Wants has no clock.
  void Sweep();

  // The slowest first.
  std::vector<EndedCall> List() const;
  Clock::time_point now() const { return now_(); }

 private:
  static bool IsOld(const EndedCall& call, Clock::time_point now) {
    return now - call.ended > kWindow;
  }
  void DropOld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SetThreshold() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::function<Clock::time_point()> now_;
  std::atomic<int64_t> threshold_{-1};  // nanoseconds that a call has to exceed

  mutable Mutex mu_;
  std::vector<EndedCall> calls_ ABSL_GUARDED_BY(mu_);  // the slowest first
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_SLOWEST_CALLS_H_
