#ifndef STAGEDOOR_SERVER_RPC_LIGHT_CALL_H_
#define STAGEDOOR_SERVER_RPC_LIGHT_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>

#include "absl/status/status.h"
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
    if (!call->call_.admitted().ok()) {
      call->End(call->call_.admitted());
    } else {
      runtime.RunHereOrSchedule([call] { call->Run(); });
    }
    return reactor;
  }

 private:
  LightCall(CallRuntime& runtime, MethodCounters& counters,
            std::chrono::system_clock::time_point deadline, grpc::ServerUnaryReactor* reactor,
            const Request* request, Response* response, const Handler& handler)
      : call_(runtime, counters, deadline),
        reactor_(reactor),
        request_(request),
        response_(response),
        handler_(handler) {}

  void Run() {
    absl::Status status = call_.context().Check();
    if (status.ok()) status = handler_(call_.context(), *request_, response_);
    End(status);
  }

  void End(const absl::Status& status) {
    const grpc::Status answer = call_.End(status);
    grpc::ServerUnaryReactor* reactor = reactor_;
    delete this;  // its place is free before the client can see the answer
    reactor->Finish(answer);
  }

  Call call_;
  grpc::ServerUnaryReactor* const reactor_;  // gRPC keeps these until Finish
  const Request* const request_;
  Response* const response_;
  const Handler& handler_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_LIGHT_CALL_H_
