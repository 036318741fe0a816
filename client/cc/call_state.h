#ifndef STAGEDOOR_CLIENT_CC_CALL_STATE_H_
#define STAGEDOOR_CLIENT_CC_CALL_STATE_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "client/cc/call_options.h"
#include "client/cc/client_options.h"
#include "client/cc/diagnosis.h"
#include "client/cc/retry_policy.h"
#include "client/cc/token_file.h"

namespace stagedoor {

// How one attempt of a call has ended.
struct AttemptEnd {
  grpc::Status status;
  std::optional<Diagnosis> diagnosis = std::nullopt;  // if it is known why no daemon was reached
};

// State shared by all calls of one client, which owns it: options, clock, and whether a daemon has
// ever answered. Thread-safe.
class CallState {
 public:
  // `clock` must outlive the state. `connects`: whether the client connects to the address of the
  // options, instead of using another channel.
  CallState(const ClientOptions& client_options, RetryClock& retry_clock, bool connects);

  // Called at the beginning and at the end of each asynchronous call.
  void Begin();
  void End();
  // Stops all retries and waits until the asynchronous calls in flight have ended.
  void WaitUntilIdle();

  // The policy of a call that starts now.
  RetryPolicy Policy(const CallOptions& call) const;
  // Finds out why the daemon could not be reached, if the attempt has failed for that, no daemon
  // has ever answered, and gRPC does not say why. May block for kDiagnosisTime.
  void Explain(const RetryPolicy& policy, AttemptEnd* end);
  // As Explain, without blocking. `done` runs once: on this thread if there is nothing to find out,
  // else on one that all calls of the client share. For calls between Begin and End.
  void ExplainAsync(const RetryPolicy& policy, const grpc::Status& status,
                    std::function<void(AttemptEnd)> done);
  // Returns the backoff before the next attempt of a call, or nullopt if the end of this one is
  // final, or the call may not be repeated. Starts a private daemon that has ended.
  std::optional<std::chrono::milliseconds> NextPause(RetryPolicy& policy, const AttemptEnd& end,
                                                     bool repeatable);
  // Converts the final status of a failed call. If no daemon has ever answered, the message names
  // the address; if a private one could not be started, it says why. `delivered`: whether the
  // caller has got a part of a stream.
  absl::Status Failure(const AttemptEnd& end, bool delivered = false) const;
  // To be called before the first attempt of each call. INVALID_ARGUMENT for options that gRPC
  // would not accept: see CallOptions::metadata. Also for those of the client that cannot be used.
  // DEADLINE_EXCEEDED if no time is left.
  // The first call also starts the private daemon, if it is to be used, or fails with the errors of
  // PrivateDaemon::Ensure.
  absl::Status Check(const CallOptions& call);
  // Sets the deadline of one attempt to that of the whole call, and adds the call's metadata and
  // the client's token.
  void Prepare(const RetryPolicy& policy, const CallOptions& call, grpc::ClientContext* context);

  const ClientOptions options;
  RetryClock& clock;

 private:
  using Explained = std::function<void(const std::optional<Diagnosis>&)>;

  bool IsPuzzling(const grpc::Status& status) const;
  // Why the daemon cannot be reached; nothing if that is not known. May block for `limit`.
  std::optional<Diagnosis> FindReason(std::chrono::milliseconds limit) const;
  // For all that wait in explained_.
  void ExplainAll(std::chrono::milliseconds limit);
  // Starts the private daemon, if it is to be used and does not run.
  absl::Status Revive();

  const bool connects_;
  const absl::Status wrong_options_;
  TokenFile token_;
  std::atomic<bool> daemon_known_{false};
  std::atomic<bool> revived_{false};  // whether a private daemon has run
  std::atomic<bool> closing_{false};
  mutable Mutex mu_;
  CondVar idle_;
  size_t count_ ABSL_GUARDED_BY(mu_) = 0;      // asynchronous calls in flight
  absl::Status revival_ ABSL_GUARDED_BY(mu_);  // the result of the last Revive
  // Asynchronous calls that wait for a diagnosis, which a thread makes while there are any.
  std::vector<Explained> explained_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CALL_STATE_H_
