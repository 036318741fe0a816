#include "client/cc/retry_policy.h"

#include <grpcpp/alarm.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "client/cc/error_details.h"
#include "client/cc/proxy.h"
#include "client/cc/short_timer.h"

namespace stagedoor {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

class RealClock final : public RetryClock {
 public:
  Time Now() override { return std::chrono::system_clock::now(); }
  void Sleep(milliseconds pause) override { std::this_thread::sleep_for(pause); }
  void RunAfter(microseconds pause, std::function<void()> fn) override {
    if (pause < kAlarmResolution) return short_timer_.RunAfter(pause, std::move(fn));
    auto* alarm = new grpc::Alarm;  // deleted by its callback
    alarm->Set(Now() + pause, [alarm, fn = std::move(fn)](bool) {
      fn();
      delete alarm;
    });
  }

 private:
  // gRPC rounds the times of alarms up to milliseconds.
  static constexpr milliseconds kAlarmResolution{2};

  ShortTimer short_timer_;
};

milliseconds ConnectTimeoutOf(const ClientOptions& options) {
  constexpr milliseconds kDefault = std::chrono::seconds(10);
  if (options.connect_timeout.has_value()) return *options.connect_timeout;
  return std::min(kDefault, options.reconnect_timeout.value_or(kDefault));
}

// The delay of the google.rpc.RetryInfo, if the daemon sent one.
std::optional<milliseconds> AdvisedPause(const grpc::Status& status) {
  for (const std::string& info : FindDetails(status.error_details(), kRetryInfoType)) {
    if (const auto delay = ParseRetryDelay(info); delay.has_value()) return delay;
  }
  return std::nullopt;
}

}  // namespace

RetryClock& RetryClock::Default() {
  static auto* clock = new RealClock;
  return *clock;
}

bool IsConnectionFailure(const grpc::Status& status) {
  if (!status.error_details().empty()) return false;
  if (const auto http = HttpStatusOf(status); http.has_value()) return *http >= 500;
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return true;
    case grpc::StatusCode::UNKNOWN:
      // A proxy that loses the daemon ends the response without a status.
      return status.error_message() == "Stream removed";
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::CANCELLED:  // a cancellation by the caller has another message
      return status.error_message().find("RST_STREAM") != std::string::npos;
    default:
      return false;
  }
}

RetryPolicy::RetryPolicy(const ClientOptions& options, Time start, milliseconds timeout)
    : deadline_(start + timeout),
      connect_deadline_(start + std::min(ConnectTimeoutOf(options), timeout)),
      reconnect_deadline_(start + std::min(options.reconnect_timeout.value_or(timeout), timeout)),
      answers_left_(options.max_attempts - 1),
      max_backoff_(options.max_backoff),
      backoff_(options.initial_backoff) {}

std::optional<milliseconds> RetryPolicy::NextBackoff(const grpc::Status& status, bool daemon_known,
                                                     Time now, uint32_t random) {
  milliseconds pause(backoff_.count() / 2 + random % (backoff_.count() / 2 + 1));
  if (!IsConnectionFailure(status)) {
    const std::optional<milliseconds> advised = AdvisedPause(status);
    const bool wanted = status.error_code() == grpc::StatusCode::UNAVAILABLE || advised.has_value();
    if (!wanted || answers_left_ <= 0) return std::nullopt;
    --answers_left_;
    if (advised.has_value()) pause += std::max(*advised, milliseconds(0));
  }
  Time last = deadline_;
  if (IsConnectionFailure(status)) last = daemon_known ? reconnect_deadline_ : connect_deadline_;
  if (now + pause >= last) return std::nullopt;
  backoff_ = std::min(backoff_ * 2, max_backoff_);
  return pause;
}

}  // namespace stagedoor
