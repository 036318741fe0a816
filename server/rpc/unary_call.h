#ifndef STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
#define STAGEDOOR_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "server/rpc/call.h"

namespace stagedoor {

// One unary call: runs `handler` on the executor and answers with what it returns. Owns itself and
// goes when gRPC is done with it.
template <typename Request, typename Response>
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  using Handler = UnaryHandler<Request, Response>;

  // `handler` outlives the call.
  static grpc::ServerUnaryReactor* Start(CallRuntime& runtime, MethodCounters& counters,
                                         grpc::CallbackServerContext* context,
                                         const Request* request, Response* response,
                                         const Handler& handler) {
    auto* call = new UnaryCall(runtime, counters, context, request, response, handler);
    if (!call->call_.admitted().ok()) {
      call->Finish(call->call_.End(call->call_.admitted()));
    } else {
      runtime.executor().Schedule([call] { call->Run(); });
    }
    return call;
  }

 private:
  UnaryCall(CallRuntime& runtime, MethodCounters& counters, grpc::CallbackServerContext* context,
            const Request* request, Response* response, const Handler& handler)
      : call_(runtime, counters, context->deadline()),
        request_(request),
        response_(response),
        handler_(handler) {}

  void Run() {
    absl::Status status = call_.context().Check();
    if (status.ok()) status = handler_(call_.context(), *request_, response_);
    Finish(call_.End(status));  // may end this object
  }

  void OnCancel() override { call_.context().Cancel(); }
  void OnDone() override { delete this; }

  Call call_;
  const Request* const request_;  // gRPC keeps both until OnDone
  Response* const response_;
  const Handler& handler_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
