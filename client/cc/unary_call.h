#ifndef STAGEDOOR_CLIENT_CC_UNARY_CALL_H_
#define STAGEDOOR_CLIENT_CC_UNARY_CALL_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "client/cc/call_options.h"
#include "client/cc/call_state.h"

namespace stagedoor {

// Runs a unary call with all its attempts on the calling thread, which polls the socket itself, so
// that no other thread has to be woken for the reply. `attempt` makes one attempt and overwrites
// the response of the one before.
absl::Status RunUnaryCall(CallState& state, bool retryable, const CallOptions& options,
                          absl::FunctionRef<grpc::Status(grpc::ClientContext*)> attempt);

// An asynchronous unary call with all its attempts. Deletes itself when the call has ended.
class AsyncUnaryCall {
 public:
  // Starts one attempt, which calls the function when it has ended.
  using Start = std::function<void(grpc::ClientContext*, std::function<void(grpc::Status)>)>;
  using Done = std::function<void(const absl::Status&)>;

  // Returns immediately. `done` may run before that.
  static void Run(CallState& state, bool retryable, const CallOptions& options, Start start,
                  Done done);

 private:
  AsyncUnaryCall(CallState& state, bool retryable, const CallOptions& options, Start start,
                 Done done);

  void Attempt();
  void Ended(const AttemptEnd& end);

  CallState& state_;
  const bool retryable_;
  const CallOptions options_;
  RetryPolicy policy_;
  const Start start_;
  const Done done_;
  std::shared_ptr<grpc::ClientContext> context_;
  std::optional<CancellationHook> hook_;  // of the current attempt
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_UNARY_CALL_H_
