#ifndef STAGEDOOR_SERVER_RPC_LIGHT_CALL_H_
#define STAGEDOOR_SERVER_RPC_LIGHT_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>

#include "server/rpc/call.h"

namespace stagedoor {

// One unary call whose answer takes microseconds: `handler` runs on the thread that has read the
// request, if it can. A call that ends so soon need not hear that its client went away, which lets
// gRPC end it on the same thread too: with a reactor of ours it would wake another for OnDone.
template <typename Request, typename Response>
class LightCall final {
 public:
  using Handler = UnaryHandler<Request, Response>;

  // `handler` outlives the call.
  static grpc::ServerUnaryReactor* Start(CallRuntime& runtime, MethodCounters& counters,
                                         grpc::CallbackServerContext* context,
                                         const Request* request, Response* response,
                                         const Handler& handler) {
    auto* reactor = context->DefaultReactor();
    auto* call =
        new LightCall(runtime, counters, context->deadline(), reactor, request, response, handler);
    if (!call->work_.call().admitted().ok()) {
      call->Finish(call->work_.Answer());
    } else {
      runtime.RunHereOrSchedule([call] { call->Finish(call->work_.Answer()); });
    }
    return reactor;
  }

 private:
  LightCall(CallRuntime& runtime, MethodCounters& counters,
            std::chrono::system_clock::time_point deadline, grpc::ServerUnaryReactor* reactor,
            const Request* request, Response* response, const Handler& handler)
      : work_(runtime, counters, deadline, request, response, handler), reactor_(reactor) {}

  void Finish(const grpc::Status& status) {
    grpc::ServerUnaryReactor* reactor = reactor_;
    delete this;  // its place is free before the client can see the answer
    reactor->Finish(status);
  }

  UnaryWork<Request, Response> work_;
  grpc::ServerUnaryReactor* const reactor_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_LIGHT_CALL_H_
