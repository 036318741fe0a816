#ifndef STAGEDOOR_SERVER_LOG_REQUEST_LOG_H_
#define STAGEDOOR_SERVER_LOG_REQUEST_LOG_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/request_costs.h"
#include "server/log/rate_limiter.h"

namespace stagedoor::server {

struct RequestLogOptions {
  // Which calls are logged.
  enum class Calls {
    kNone,
    kErrors,  // those that failed
    kSlow,    // those that took `slow` or longer, and those that failed by the daemon's fault
    kAll,
  };
  Calls calls = Calls::kSlow;
  std::chrono::milliseconds slow{1000};
};

// The name of a choice: none, errors, slow or all.
std::string_view LoggedCallsName(RequestLogOptions::Calls calls);
// Parses such a name.
std::optional<RequestLogOptions::Calls> ParseLoggedCalls(std::string_view name);

// The log record of a call that has ended.
struct RequestRecord {
  std::string_view method;
  absl::Status status;
  std::chrono::nanoseconds duration{0};  // from its arrival to its end
  std::chrono::nanoseconds queued{0};    // from its arrival to the first step of its work
  std::chrono::nanoseconds worked{0};    // on its messages, without the waits between them
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  std::string request_id;
  std::string trace_id;  // these are empty if the client sent no trace context
  std::string span_id;   // of this call
  std::string parent_id;
  std::string peer;
  std::string identity;  // empty if there is none
  std::string stage;     // the root layer; empty if it worked on no stage
  std::array<RequestCosts::Cost, RequestCosts::kKinds> costs;
};

// Writes a line for each call that the options ask for, at most kPerSecond a second. Thread-safe.
class RequestLog {
 public:
  static constexpr int kPerSecond = 100;
  using Clock = RateLimiter::Clock;

  explicit RequestLog(const RequestLogOptions& options,
                      std::function<Clock::time_point()> now = Clock::now)
      : options_(options), now_(std::move(now)) {}

  // Whether to write a record of a call that has ended with `code` and took `spent`, apart from
  // waits for its client. Unset if not, otherwise the number of records suppressed since the last
  // one. Takes no time for calls that are not logged.
  std::optional<uint64_t> Admit(absl::StatusCode code, std::chrono::nanoseconds spent);

  // Writes a record that was admitted.
  void Write(const RequestRecord& record, uint64_t suppressed) const;

 private:
  bool IsSlow(std::chrono::nanoseconds spent) const { return spent >= options_.slow; }
  bool IsWanted(absl::StatusCode code, std::chrono::nanoseconds spent) const;

  const RequestLogOptions options_;
  const std::function<Clock::time_point()> now_;
  RateLimiter limiter_{kPerSecond, std::chrono::milliseconds(1000 / kPerSecond)};
};

// Why a call took long, like "opened 12 layers (3.4 MB, 820 ms): /show/a.usd, …; waited 300 ms in
// the queue". Empty if nothing is known.
std::string SlowCallReasons(const RequestRecord& record);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_REQUEST_LOG_H_
