#include "client/cc/stream_call.h"

#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "client/cc/cancellation.h"

namespace stagedoor {

absl::Status RunStreamCall(
    CallState& state, const CallOptions& options,
    absl::FunctionRef<std::unique_ptr<grpc::ClientReaderInterface<google::protobuf::MessageLite>>(
        grpc::ClientContext*)>
        start,
    absl::FunctionRef<std::unique_ptr<StreamReceiver>()> make_receiver) {
  SD_RETURN_IF_ERROR(state.Check(options));
  RetryPolicy policy = state.Policy(options);
  for (;;) {
    const auto context = std::make_shared<grpc::ClientContext>();
    state.Prepare(policy, options, context.get());
    const CancellationHook hook(options.cancellation, [context] { context->TryCancel(); });
    const auto reader = start(context.get());
    const std::unique_ptr<StreamReceiver> receiver = make_receiver();
    bool delivered = false;
    absl::Status wanted;
    while (wanted.ok() && reader->Read(receiver->message())) wanted = receiver->Take(&delivered);
    if (!wanted.ok()) context->TryCancel();
    AttemptEnd end = {reader->Finish()};
    if (!wanted.ok()) return wanted;
    state.Explain(policy, &end);
    const auto pause = state.NextPause(policy, end, /*repeatable=*/!delivered);
    if (end.status.ok()) return receiver->End();
    if (!pause.has_value()) return state.Failure(end, delivered);
    state.clock.Sleep(*pause);
  }
}

// Reads the messages of one attempt.
class AsyncStreamCall::Reader final : public Reactor {
 public:
  explicit Reader(AsyncStreamCall& call) : call_(call), receiver_(call.make_receiver_()) {}

  void Start() {
    hook_.emplace(call_.options_.cancellation, [context = context] { context->TryCancel(); });
    call_.start_(context.get(), this);
    StartRead(receiver_->message());
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    call_.wanted_ = receiver_->Take(&call_.delivered_);
    if (call_.wanted_.ok()) {
      StartRead(receiver_->message());
    } else {
      context->TryCancel();
    }
  }
  void OnDone(const grpc::Status& status) override {
    if (status.ok() && call_.wanted_.ok()) call_.wanted_ = receiver_->End();
    AsyncStreamCall& call = call_;
    call.state_.ExplainAsync(call.policy_, status,
                             [&call](const AttemptEnd& end) { call.Ended(end); });
  }

  const std::shared_ptr<grpc::ClientContext> context = std::make_shared<grpc::ClientContext>();

 private:
  AsyncStreamCall& call_;
  std::optional<CancellationHook> hook_;
  const std::unique_ptr<StreamReceiver> receiver_;
};

void AsyncStreamCall::Run(CallState& state, const CallOptions& options, Start start,
                          MakeReceiver make_receiver, Done done) {
  if (absl::Status wrong = state.Check(options); !wrong.ok()) return done(std::move(wrong));
  state.Begin();
  (new AsyncStreamCall(state, options, std::move(start), std::move(make_receiver), std::move(done)))
      ->Attempt();
}

AsyncStreamCall::AsyncStreamCall(CallState& state, const CallOptions& options, Start start,
                                 MakeReceiver make_receiver, Done done)
    : state_(state),
      options_(options),
      policy_(state.Policy(options)),
      start_(std::move(start)),
      make_receiver_(std::move(make_receiver)),
      done_(std::move(done)) {}

AsyncStreamCall::~AsyncStreamCall() = default;

void AsyncStreamCall::Attempt() {
  reader_ = std::make_unique<Reader>(*this);
  state_.Prepare(policy_, options_, reader_->context.get());
  reader_->Start();
}

void AsyncStreamCall::Ended(const AttemptEnd& end) {
  const bool repeatable = wanted_.ok() && !delivered_;
  const auto pause = state_.NextPause(policy_, end, repeatable);
  if (pause.has_value()) {
    return state_.clock.RunAfter(*pause, [this] { Attempt(); });
  }
  if (!wanted_.ok()) {
    done_(wanted_);
  } else {
    done_(end.status.ok() ? absl::OkStatus() : state_.Failure(end, delivered_));
  }
  CallState& state = state_;
  delete this;
  state.End();
}

}  // namespace stagedoor
