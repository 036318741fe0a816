#ifndef STAGEDOOR_SERVER_RPC_STREAM_CALL_H_
#define STAGEDOOR_SERVER_RPC_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <utility>

#include "absl/status/statusor.h"
#include "server/rpc/call.h"
#include "server/rpc/response_stream.h"

namespace stagedoor {

// One server-streaming call: `handler` starts a ResponseStream on the executor; each message is
// made once the one before is out, where there is room. Owns itself and goes when gRPC is done with
// it.
template <typename Request, typename Response>
class StreamCall final : public grpc::ServerWriteReactor<Response> {
 public:
  using Handler =
      std::function<absl::StatusOr<ResponseStreamPtr<Response>>(RequestContext&, const Request&)>;

  // `light`: the first message takes so little time that the thread which has read the request may
  // make it.
  static grpc::ServerWriteReactor<Response>* Start(CallRuntime& runtime, MethodCounters& counters,
                                                   grpc::CallbackServerContext* context,
                                                   const Request* request, Handler handler,
                                                   bool light = false) {
    auto* call = new StreamCall(runtime, counters, context, request, std::move(handler));
    if (!call->call_.admitted().ok()) {
      call->Finish(call->call_.End(call->call_.admitted()));
    } else if (light) {
      runtime.RunHereOrSchedule([call] { call->Produce(); });
    } else {
      runtime.executor().Schedule([call] { call->Produce(); });
    }
    return call;
  }

 private:
  StreamCall(CallRuntime& runtime, MethodCounters& counters, grpc::CallbackServerContext* context,
             const Request* request, Handler handler)
      : call_(runtime, counters, context->deadline()),
        request_(request),
        handler_(std::move(handler)) {}

  void Produce() {
    const absl::StatusOr<bool> more = call_.Run([this] { return MakeNext(); });
    const bool message = more.ok() && *more;
    if (message && !stream_->AtEnd()) return this->StartWrite(&response_);
    stream_ = nullptr;
    // Either may end this object.
    if (message) {
      this->StartWriteAndFinish(&response_, grpc::WriteOptions(), call_.End(more.status()));
    } else {
      this->Finish(call_.End(more.status()));
    }
  }

  absl::StatusOr<bool> MakeNext() {
    if (stream_ == nullptr) {
      auto stream = handler_(call_.context(), *request_);
      if (!stream.ok()) return stream.status();
      stream_ = *std::move(stream);
    }
    response_.Clear();
    return stream_->Next(call_.context(), &response_);
  }

  void OnWriteDone(bool ok) override {
    // A failed write means the client is gone; Produce then sees the cancellation.
    if (!ok) call_.context().Cancel();
    call_.runtime().RunHereOrSchedule([this] { Produce(); });
  }
  void OnCancel() override { call_.context().Cancel(); }
  void OnDone() override { delete this; }

  Call call_;
  const Request* const request_;  // gRPC keeps it until OnDone
  const Handler handler_;
  ResponseStreamPtr<Response> stream_;
  Response response_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_STREAM_CALL_H_
