#ifndef STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
#define STAGEDOOR_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "server/rpc/call.h"

namespace stagedoor {

// Where a call's handler runs.
enum class Placement {
  kExecutor,
  kHere,  // if it can, on the thread that has read the request: for answers that take microseconds
};

// One unary call: runs `handler` and answers with what it returns. Owns itself and goes when gRPC
// is done with it.
template <typename Request, typename Response>
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  using Handler = std::function<absl::Status(RequestContext&, const Request&, Response*)>;

  static grpc::ServerUnaryReactor* Start(CallRuntime& runtime, MethodCounters& counters,
                                         grpc::CallbackServerContext* context,
                                         const Request* request, Response* response,
                                         Handler handler, Placement placement) {
    auto* call = new UnaryCall(runtime, counters, context, request, response, std::move(handler));
    if (!call->call_.admitted().ok()) {
      call->Finish(call->call_.End(call->call_.admitted()));
    } else if (placement == Placement::kHere) {
      runtime.RunHereOrSchedule([call] { call->Run(); });
    } else {
      runtime.executor().Schedule([call] { call->Run(); });
    }
    return call;
  }

 private:
  UnaryCall(CallRuntime& runtime, MethodCounters& counters, grpc::CallbackServerContext* context,
            const Request* request, Response* response, Handler handler)
      : call_(runtime, counters, context->deadline()),
        request_(request),
        response_(response),
        handler_(std::move(handler)) {}

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
  const Handler handler_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
