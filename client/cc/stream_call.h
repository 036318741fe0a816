#ifndef STAGEDOOR_CLIENT_CC_STREAM_CALL_H_
#define STAGEDOOR_CLIENT_CC_STREAM_CALL_H_

#include <grpcpp/support/client_callback.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/call_state.h"
#include "client/cc/stream_assembler.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor {

// See Client::Sink and Client::Done.
template <typename Response>
using StreamSink = std::function<absl::Status(const Response&)>;
using StreamDone = std::function<void(absl::Status)>;

// The options of a stream. WatchStage lasts until one side ends it, so that the timeout of the
// client does not apply; the daemon ends it after --max-call-seconds.
template <typename Response>
CallOptions ForStream(CallOptions options) {
  if constexpr (std::is_same_v<Response, v1::WatchStageResponse>) {
    if (!options.timeout) options.timeout = std::chrono::hours(24);
  }
  return options;
}

// Passes a message that has arrived to a sink, if it completes one; then *delivered is true.
template <typename Response>
absl::Status Deliver(StreamAssembler<Response>& assembler, Response* message,
                     const StreamSink<Response>& sink, bool* delivered) {
  const absl::StatusOr<bool> whole = assembler.Take(message);
  if (!whole.ok()) return whole.status();
  if (!*whole) return absl::OkStatus();
  *delivered = true;
  return sink(*message);
}

// The status of a stream that has ended successfully.
template <typename Response>
absl::Status EndOf(const StreamAssembler<Response>& assembler) {
  if (!assembler.in_progress()) return absl::OkStatus();
  return DataLossError("the daemon ended a stream in the middle of a message");
}

// Runs a server-streaming call on the calling thread. It is retried only until the sink has got its
// first message.
template <typename Response, typename Start>
absl::Status RunStreamCall(CallState& state, const CallOptions& options, const Start& start,
                           const StreamSink<Response>& sink) {
  SD_RETURN_IF_ERROR(state.Check(options));
  RetryPolicy policy = state.Policy(ForStream<Response>(options));
  for (;;) {
    const auto context = std::make_shared<grpc::ClientContext>();
    state.Prepare(policy, options, context.get());
    const CancellationHook hook(options.cancellation, [context] { context->TryCancel(); });
    auto reader = start(context.get());
    Response response;
    StreamAssembler<Response> assembler(state.options);
    bool delivered = false;
    absl::Status wanted;
    while (wanted.ok() && reader->Read(&response)) {
      wanted = Deliver(assembler, &response, sink, &delivered);
    }
    if (!wanted.ok()) context->TryCancel();
    AttemptEnd end = {reader->Finish()};
    if (!wanted.ok()) return wanted;
    state.Explain(policy, &end);
    const auto pause = state.NextPause(policy, end, /*repeatable=*/!delivered);
    if (end.status.ok()) return EndOf(assembler);
    if (!pause.has_value()) return state.Failure(end, delivered);
    state.clock.Sleep(*pause);
  }
}

// The asynchronous form of RunStreamCall: the sink runs on gRPC threads, one message at a time. The
// object deletes itself when the call has ended.
template <typename Request, typename Response>
class AsyncStreamCall {
 public:
  // Starts one attempt.
  using Start =
      std::function<void(grpc::ClientContext*, const Request*, grpc::ClientReadReactor<Response>*)>;

  static void Run(CallState& state, const CallOptions& options, Start start, const Request& request,
                  StreamSink<Response> sink, StreamDone done) {
    if (absl::Status wrong = state.Check(options); !wrong.ok()) return done(std::move(wrong));
    state.Begin();
    (new AsyncStreamCall(state, options, std::move(start), request, std::move(sink),
                         std::move(done)))
        ->Attempt();
  }

 private:
  // Reads the messages of one attempt.
  class Reader final : public grpc::ClientReadReactor<Response> {
   public:
    explicit Reader(AsyncStreamCall& call) : call_(call), assembler_(call.state_.options) {}

    void Start() {
      hook_.emplace(call_.options_.cancellation, [context = context] { context->TryCancel(); });
      call_.start_(context.get(), &call_.request_, this);
      this->StartRead(&response_);
      this->StartCall();
    }
    void OnReadDone(bool ok) override {
      if (!ok) return;
      call_.wanted_ = Deliver(assembler_, &response_, call_.sink_, &call_.delivered_);
      if (call_.wanted_.ok()) {
        this->StartRead(&response_);
      } else {
        context->TryCancel();
      }
    }
    void OnDone(const grpc::Status& status) override {
      if (status.ok() && call_.wanted_.ok()) call_.wanted_ = EndOf(assembler_);
      AsyncStreamCall& call = call_;
      call.state_.ExplainAsync(call.policy_, status,
                               [&call](const AttemptEnd& end) { call.Ended(end); });
    }

    const std::shared_ptr<grpc::ClientContext> context = std::make_shared<grpc::ClientContext>();

   private:
    AsyncStreamCall& call_;
    std::optional<CancellationHook> hook_;
    StreamAssembler<Response> assembler_;
    Response response_;
  };

  AsyncStreamCall(CallState& state, const CallOptions& options, Start start, const Request& request,
                  StreamSink<Response> sink, StreamDone done)
      : state_(state),
        options_(options),
        policy_(state.Policy(ForStream<Response>(options))),
        start_(std::move(start)),
        request_(request),
        sink_(std::move(sink)),
        done_(std::move(done)) {}

  void Attempt() {
    reader_ = std::make_unique<Reader>(*this);
    state_.Prepare(policy_, options_, reader_->context.get());
    reader_->Start();
  }

  void Ended(const AttemptEnd& end) {
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

  CallState& state_;
  const CallOptions options_;
  RetryPolicy policy_;
  const Start start_;
  const Request request_;
  const StreamSink<Response> sink_;
  const StreamDone done_;
  std::unique_ptr<Reader> reader_;
  bool delivered_ = false;  // whether the sink has got a message
  absl::Status wanted_;     // the last one that the sink returned
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_STREAM_CALL_H_
