#ifndef STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
#define STAGEDOOR_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

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
    if (!call->work_.call().admitted().ok()) {
      call->Finish(call->work_.Answer());
    } else {
      runtime.executor().Schedule([call] { call->Finish(call->work_.Answer()); });
    }
    return call;
  }

 private:
  UnaryCall(CallRuntime& runtime, MethodCounters& counters, grpc::CallbackServerContext* context,
            const Request* request, Response* response, const Handler& handler)
      : work_(runtime, counters, context->deadline(), request, response, handler) {}

  void OnCancel() override { work_.call().context().Cancel(); }
  void OnDone() override { delete this; }

  UnaryWork<Request, Response> work_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
