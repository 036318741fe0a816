#include "client/cc/call_state.h"

#include <algorithm>
#include <random>
#include <string_view>

#include "base/status.h"
#include "client/cc/error_reason.h"
#include "client/cc/grpc_status.h"
#include "client/cc/private_daemon.h"

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

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

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

std::optional<std::chrono::milliseconds> CallState::NextPause(RetryPolicy& policy,
                                                              const grpc::Status& status,
                                                              bool repeatable) {
  if (!IsConnectionFailure(status)) daemon_known_ = true;
  if (status.ok() || closing_ || !repeatable) return std::nullopt;
  if (IsConnectionFailure(status) && !Revive().ok()) return std::nullopt;
  return policy.NextBackoff(status, daemon_known_, clock.Now(), Random());
}

absl::Status CallState::Revive() {
  if (options.private_daemon == nullptr) return absl::OkStatus();
  absl::Status revival = options.private_daemon->Ensure();
  if (revival.ok()) daemon_known_ = revived_ = true;
  MutexLock lock(mu_);
  revival_ = revival;
  return revival;
}

absl::Status CallState::Failure(const grpc::Status& status, bool delivered) const {
  absl::Status failure = FromGrpcStatus(status);
  if (!IsConnectionFailure(status)) return failure;
  {
    MutexLock lock(mu_);
    if (!revival_.ok()) return revival_;
  }
  // Whatever a proxy has made of it.
  if (!absl::IsUnavailable(failure)) {
    failure = absl::UnavailableError(Concat("the connection broke: ", status.error_message()));
  }
  if (delivered) return BrokenStream(failure);
  if (daemon_known_ || options.address.empty()) return failure;
  return Annotate(failure, Concat("no daemon answers at ", options.address));
}

absl::Status CallState::Check(const CallOptions& call) {
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
