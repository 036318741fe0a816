#include "client/cc/call_state.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/channel.h"
#include "client/cc/error_reason.h"
#include "client/cc/grpc_status.h"
#include "client/cc/private_daemon.h"
#include "client/cc/proxy.h"

namespace stagedoor {
namespace {

uint32_t Random() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return static_cast<uint32_t>(random());
}

bool IsMetadataKey(std::string_view key) {
  if (key.empty() || key.starts_with("grpc-") || key.ends_with("-bin")) return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

// How long a call may wait for an explanation: not much longer than it would try to connect.
std::chrono::milliseconds TimeToExplain(const RetryPolicy& policy, RetryClock::Time now) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::duration_cast<milliseconds>(policy.deadline() - now);
  const auto to_connect = std::chrono::duration_cast<milliseconds>(policy.connect_deadline() - now);
  return std::min(left, std::clamp(to_connect, milliseconds(100), kDiagnosisTime));
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

CallState::CallState(const ClientOptions& client_options, RetryClock& retry_clock, bool connects)
    : options(client_options),
      clock(retry_clock),
      connects_(connects),
      wrong_options_(connects ? CheckClientOptions(client_options) : absl::OkStatus()),
      token_(client_options.security.token_file) {}

void CallState::Begin() {
  MutexLock lock(mu_);
  ++count_;
}

void CallState::End() {
  MutexLock lock(mu_);
  if (--count_ == 0) idle_.NotifyAll();
}

void CallState::WaitUntilIdle() {
  closing_ = true;
  MutexLock lock(mu_);
  while (count_ != 0) idle_.Wait(mu_);
}

RetryPolicy CallState::Policy(const CallOptions& call) const {
  return RetryPolicy(options, clock.Now(), call.timeout.value_or(options.timeout));
}

bool CallState::IsPuzzling(const grpc::Status& status) const {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE && status.error_details().empty() &&
         connects_ && options.private_daemon == nullptr && !daemon_known_ && !closing_ &&
         options.proxy != "environment" && !HttpStatusOf(status).has_value() &&
         // Asking again would take as long.
         status.error_message().find("DNS") == std::string::npos;
}

std::optional<Diagnosis> CallState::FindReason(std::chrono::milliseconds limit) const {
  // gRPC does not use a proxy for sockets of this machine.
  if (options.proxy.empty() || options.address.starts_with("unix:")) {
    return Diagnose(options.address, options.security, limit);
  }
  return DiagnoseProxy(options.proxy, options.address, limit);
}

void CallState::Explain(const RetryPolicy& policy, AttemptEnd* end) {
  if (!IsPuzzling(end->status)) return;
  end->diagnosis = FindReason(TimeToExplain(policy, clock.Now()));
}

void CallState::ExplainAsync(const RetryPolicy& policy, const grpc::Status& status,
                             std::function<void(AttemptEnd)> done) {
  if (!IsPuzzling(status)) return done({status});
  {
    MutexLock lock(mu_);
    explained_.push_back([status, done = std::move(done)](const std::optional<Diagnosis>& found) {
      done({status, found});
    });
    if (explained_.size() > 1) return;  // another call has started the thread
  }
  std::thread([this, limit = TimeToExplain(policy, clock.Now())] { ExplainAll(limit); }).detach();
}

void CallState::ExplainAll(std::chrono::milliseconds limit) {
  const std::optional<Diagnosis> found = FindReason(limit);
  std::vector<Explained> waiting;
  {
    MutexLock lock(mu_);
    waiting.swap(explained_);
  }
  for (const Explained& each : waiting) each(found);  // the last one may destroy this object
}

std::optional<std::chrono::milliseconds> CallState::NextPause(RetryPolicy& policy,
                                                              const AttemptEnd& end,
                                                              bool repeatable) {
  if (!IsConnectionFailure(end.status)) daemon_known_ = true;
  if (end.status.ok() || closing_ || !repeatable) return std::nullopt;
  if (IsConnectionFailure(end.status) && !Revive().ok()) return std::nullopt;
  if (end.diagnosis.has_value()) {
    const bool waits = end.diagnosis->refused && options.connect_timeout.has_value();
    if (!waits) return std::nullopt;
  }
  return policy.NextBackoff(end.status, daemon_known_, clock.Now(), Random());
}

absl::Status CallState::Revive() {
  if (options.private_daemon == nullptr) return absl::OkStatus();
  absl::Status revival = options.private_daemon->Ensure();
  if (revival.ok()) daemon_known_ = revived_ = true;
  MutexLock lock(mu_);
  revival_ = revival;
  return revival;
}

absl::Status CallState::Failure(const AttemptEnd& end, bool delivered) const {
  absl::Status failure = end.diagnosis ? end.diagnosis->status : FromGrpcStatus(end.status);
  if (end.diagnosis && !end.diagnosis->refused) return failure;
  if (!IsConnectionFailure(end.status)) return failure;
  {
    MutexLock lock(mu_);
    if (!revival_.ok()) return revival_;
  }
  // Whatever a proxy has made of it.
  if (!absl::IsUnavailable(failure)) {
    failure = absl::UnavailableError(Concat("the connection broke: ", end.status.error_message()));
  }
  if (delivered) return BrokenStream(failure);
  if (daemon_known_ || options.address.empty()) return failure;
  return Annotate(failure,
                  Concat("no daemon answers at ", options.address, ProxyText(options.proxy)));
}

absl::Status CallState::Check(const CallOptions& call) {
  SD_RETURN_IF_ERROR(wrong_options_);
  if (call.timeout.value_or(options.timeout) <= std::chrono::milliseconds(0)) {
    // The reply of a daemon nearby may arrive before gRPC looks at its timers.
    return DeadlineExceededError("the deadline of the call has passed");
  }
  for (const auto& [key, value] : call.metadata) {
    if (!IsMetadataKey(key)) {
      return InvalidArgumentError(
          "the metadata key ", Quoted(key),
          " is invalid: use lower-case letters, digits, '-', '_' and '.', and neither the prefix "
          "'grpc-' nor the suffix '-bin'");
    }
    if (!IsPrintable(value)) {
      return InvalidArgumentError("the value of the metadata ", Quoted(key),
                                  " is not printable ASCII");
    }
  }
  return revived_ ? absl::OkStatus() : Revive();
}

void CallState::Prepare(const RetryPolicy& policy, const CallOptions& call,
                        grpc::ClientContext* context) {
  // gRPC uses the system clock; `clock` may be another one in tests.
  context->set_deadline(std::chrono::system_clock::now() + (policy.deadline() - clock.Now()));
  for (const auto& [key, value] : call.metadata) context->AddMetadata(key, value);
  const std::string authorization = token_.Authorization();
  if (!authorization.empty()) context->AddMetadata("authorization", authorization);
}

}  // namespace stagedoor
