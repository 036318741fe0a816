#include "client/cc/call_state.h"

#include <random>

#include "base/status.h"
#include "client/cc/grpc_status.h"

namespace stagedoor {
namespace {

uint32_t Random() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return static_cast<uint32_t>(random());
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
                                                              const grpc::Status& status) {
  if (!IsConnectionFailure(status)) daemon_known_ = true;
  if (status.ok() || closing_) return std::nullopt;
  return policy.NextBackoff(status, daemon_known_, clock.Now(), Random());
}

absl::Status CallState::Failure(const grpc::Status& status) const {
  absl::Status failure = FromGrpcStatus(status);
  if (!IsConnectionFailure(status) || daemon_known_ || options.address.empty()) return failure;
  return Annotate(failure, Concat("no daemon answers at ", options.address));
}

void CallState::Prepare(const RetryPolicy& policy, grpc::ClientContext* context) {
  // gRPC uses the system clock; `clock` may be another one in tests.
  context->set_deadline(std::chrono::system_clock::now() + (policy.deadline() - clock.Now()));
  const std::string authorization = token_.Authorization();
  if (!authorization.empty()) context->AddMetadata("authorization", authorization);
}

}  // namespace stagedoor
