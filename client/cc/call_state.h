#ifndef STAGEDOOR_CLIENT_CC_CALL_STATE_H_
#define STAGEDOOR_CLIENT_CC_CALL_STATE_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>

#include "base/mutex.h"
#include "client/cc/client.h"
#include "client/cc/retry_policy.h"

namespace stagedoor {

// What the calls of one client share: options, clock, and whether the daemon has ever answered.
// Thread-safe.
class CallState {
 public:
  // `clock` must outlive the state.
  CallState(const ClientOptions& client_options, RetryClock& retry_clock)
      : options(client_options), clock(retry_clock) {}

  // Bracket an asynchronous call.
  void Begin();
  void End();
  // Waits for the calls that have begun, which are not retried any more.
  void WaitUntilIdle();

  // The pause before another attempt of a call that ended with `status`; none if it is final.
  std::optional<std::chrono::milliseconds> NextPause(RetryPolicy& policy,
                                                     const grpc::Status& status);
  // The final error of a call.
  absl::Status Failure(const grpc::Status& status) const;
  void SetDeadline(const RetryPolicy& policy, grpc::ClientContext* context) const;

  const ClientOptions options;
  RetryClock& clock;

 private:
  std::atomic<bool> daemon_known_{false};
  std::atomic<bool> closing_{false};
  Mutex mu_;
  CondVar idle_;
  size_t count_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CALL_STATE_H_
