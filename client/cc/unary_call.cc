#include "client/cc/unary_call.h"

#include <utility>

namespace stagedoor {

absl::Status RunUnaryCall(CallState& state, bool retryable, const CallOptions& options,
                          absl::FunctionRef<grpc::Status(grpc::ClientContext*)> attempt) {
  if (absl::Status wrong = state.Check(options); !wrong.ok()) return wrong;
  RetryPolicy policy = state.Policy(options);
  for (;;) {
    const auto context = std::make_shared<grpc::ClientContext>();
    state.Prepare(policy, options, context.get());
    const CancellationHook hook(options.cancellation, [context] { context->TryCancel(); });
    AttemptEnd end = {attempt(context.get())};
    state.Explain(policy, &end);
    const auto pause = state.NextPause(policy, end, retryable);
    if (end.status.ok()) return absl::OkStatus();
    if (!pause.has_value()) return state.Failure(end);
    state.clock.Sleep(*pause);
  }
}

void AsyncUnaryCall::Run(CallState& state, bool retryable, const CallOptions& options, Start start,
                         Done done) {
  if (const absl::Status wrong = state.Check(options); !wrong.ok()) return done(wrong);
  state.Begin();
  (new AsyncUnaryCall(state, retryable, options, std::move(start), std::move(done)))->Attempt();
}

AsyncUnaryCall::AsyncUnaryCall(CallState& state, bool retryable, const CallOptions& options,
                               Start start, Done done)
    : state_(state),
      retryable_(retryable),
      options_(options),
      policy_(state.Policy(options)),
      start_(std::move(start)),
      done_(std::move(done)) {}

void AsyncUnaryCall::Attempt() {
  context_ = std::make_shared<grpc::ClientContext>();
  state_.Prepare(policy_, options_, context_.get());
  hook_.emplace(options_.cancellation, [context = context_] { context->TryCancel(); });
  start_(context_.get(), [this](const grpc::Status& status) {
    state_.ExplainAsync(policy_, status, [this](const AttemptEnd& end) { Ended(end); });
  });
}

void AsyncUnaryCall::Ended(const AttemptEnd& end) {
  const auto pause = state_.NextPause(policy_, end, retryable_);
  if (pause.has_value()) {
    return state_.clock.RunAfter(*pause, [this] { Attempt(); });
  }
  done_(end.status.ok() ? absl::OkStatus() : state_.Failure(end));
  CallState& state = state_;
  delete this;
  state.End();
}

}  // namespace stagedoor
