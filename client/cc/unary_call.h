#ifndef STAGEDOOR_CLIENT_CC_UNARY_CALL_H_
#define STAGEDOOR_CLIENT_CC_UNARY_CALL_H_

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "client/cc/call_options.h"
#include "client/cc/call_state.h"

namespace stagedoor {

// See Client::Callback.
template <typename Response>
using UnaryCallback = std::function<void(absl::StatusOr<Response>)>;

// An asynchronous unary call with all its attempts. Deletes itself when the call has ended.
template <typename Request, typename Response>
class AsyncUnaryCall {
 public:
  // Starts one attempt.
  using Start = std::function<void(grpc::ClientContext*, const Request*, Response*,
                                   std::function<void(grpc::Status)>)>;

  static void Run(CallState& state, bool retryable, const CallOptions& options, Start start,
                  const Request& request, UnaryCallback<Response> callback) {
    if (absl::Status wrong = state.Check(options); !wrong.ok()) {
      return callback(std::move(wrong));
    }
    state.Begin();
    (new AsyncUnaryCall(state, retryable, options, std::move(start), request, std::move(callback)))
        ->Attempt();
  }

 private:
  AsyncUnaryCall(CallState& state, bool retryable, const CallOptions& options, Start start,
                 const Request& request, UnaryCallback<Response> callback)
      : state_(state),
        retryable_(retryable),
        options_(options),
        policy_(state.Policy(options)),
        start_(std::move(start)),
        request_(request),
        callback_(std::move(callback)) {}

  void Attempt() {
    context_ = std::make_shared<grpc::ClientContext>();
    state_.Prepare(policy_, options_, context_.get());
    response_.Clear();
    hook_.emplace(options_.cancellation, [context = context_] { context->TryCancel(); });
    start_(context_.get(), &request_, &response_, [this](const grpc::Status& status) {
      state_.ExplainAsync(policy_, status, [this](const AttemptEnd& end) { Ended(end); });
    });
  }

  void Ended(const AttemptEnd& end) {
    const auto pause = state_.NextPause(policy_, end, retryable_);
    if (pause.has_value()) {
      return state_.clock.RunAfter(*pause, [this] { Attempt(); });
    }
    if (end.status.ok()) {
      callback_(std::move(response_));
    } else {
      callback_(state_.Failure(end));
    }
    CallState& state = state_;
    delete this;
    state.End();
  }

  CallState& state_;
  const bool retryable_;
  const CallOptions options_;
  RetryPolicy policy_;
  const Start start_;
  const Request request_;
  const UnaryCallback<Response> callback_;
  std::shared_ptr<grpc::ClientContext> context_;
  std::optional<CancellationHook> hook_;  // of the current attempt
  Response response_;
};

// Runs a unary call on the calling thread, which polls the socket itself, so that no other thread
// has to be woken for the reply.
template <typename Response, typename Start>
absl::StatusOr<Response> RunUnaryCall(CallState& state, bool retryable, const CallOptions& options,
                                      const Start& start) {
  if (absl::Status wrong = state.Check(options); !wrong.ok()) return wrong;
  RetryPolicy policy = state.Policy(options);
  for (;;) {
    const auto context = std::make_shared<grpc::ClientContext>();
    state.Prepare(policy, options, context.get());
    const CancellationHook hook(options.cancellation, [context] { context->TryCancel(); });
    Response response;
    AttemptEnd end = {start(context.get(), &response)};
    state.Explain(policy, &end);
    const auto pause = state.NextPause(policy, end, retryable);
    if (end.status.ok()) return response;
    if (!pause.has_value()) return state.Failure(end);
    state.clock.Sleep(*pause);
  }
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_UNARY_CALL_H_
