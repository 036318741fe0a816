#ifndef STAGEDOOR_SERVER_RPC_RPC_SERVICE_H_
#define STAGEDOOR_SERVER_RPC_RPC_SERVICE_H_

#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/codegen/service_type.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "server/rpc/method_policy.h"
#include "server/rpc/request_message.h"
#include "server/rpc/stream_call.h"
#include "server/rpc/unary_call.h"

namespace stagedoor::server {

// A gRPC service whose methods are added one by one. gRPC passes requests and replies as bytes,
// because we parse requests ourselves: on the executor unless they are small, and with a proper
// error for malformed ones, where gRPC would return UNIMPLEMENTED without a message.
class RpcService : public grpc::Service {
 public:
  // `name` is "PACKAGE.SERVICE". `admission` must outlive the service.
  RpcService(CallAdmission& admission, std::string_view name)
      : admission_(admission), name_(name) {}

  // `can_run_inline` tells which calls of a CallWeight::kInline method are light; null means all.
  template <typename Request, typename Response>
  void AddUnary(std::string_view method, const MethodPolicy& policy,
                std::function<absl::Status(RequestContext&, Request&, Response*)> handler,
                std::function<bool(const Request&)> can_run_inline = nullptr);

  // `handler` returns a StatusOr of a stream that ToWireStream accepts.
  template <typename Request, typename Handler>
  void AddStream(std::string_view method, const MethodPolicy& policy, Handler handler,
                 std::function<bool(const Request&)> can_run_inline = nullptr);

 private:
  void AddUnaryMethod(std::string_view method,
                      std::function<grpc::ServerUnaryReactor*(grpc::CallbackServerContext*,
                                                              grpc::ByteBuffer*, grpc::ByteBuffer*)>
                          start);
  void AddStreamMethod(std::string_view method, std::shared_ptr<const StreamMethod> stream);
  // Stores the full method name, to which gRPC keeps a pointer. Counter names lack the leading
  // slash.
  const char* AddName(std::string_view method);
  MethodCounters& GetMethodCounters(std::string_view method, const MethodPolicy& policy);

  CallAdmission& admission_;
  const std::string name_;
  std::deque<std::string> names_;
};

// The reactor of a call that cannot run because memory is exhausted.
grpc::ServerUnaryReactor* RejectOutOfMemory(grpc::CallbackServerContext* context);

template <typename Request, typename Response>
void RpcService::AddUnary(std::string_view method, const MethodPolicy& policy,
                          std::function<absl::Status(RequestContext&, Request&, Response*)> handler,
                          std::function<bool(const Request&)> can_run_inline) {
  using Method = UnaryMethod<Request, Response>;
  const auto unary =
      std::make_shared<const Method>(Method{GetMethodCounters(method, policy), policy.weight,
                                            std::move(can_run_inline), std::move(handler)});
  AddUnaryMethod(method,
                 [this, unary](grpc::CallbackServerContext* context, grpc::ByteBuffer* request,
                               grpc::ByteBuffer* reply) -> grpc::ServerUnaryReactor* {
                   try {
                     auto* call = new UnaryCall<Request, Response>(admission_, *unary, context,
                                                                   request, reply);
                     call->Start();
                     return call;
                   } catch (const std::bad_alloc&) {
                     return RejectOutOfMemory(context);
                   }
                 });
}

template <typename Request, typename Handler>
void RpcService::AddStream(std::string_view method, const MethodPolicy& policy, Handler handler,
                           std::function<bool(const Request&)> can_run_inline) {
  // Longer requests have so many items that they are not light.
  constexpr size_t kMaxInlineRequestBytes = 4096;
  StreamMethod stream{GetMethodCounters(method, policy), policy.weight, nullptr, nullptr};
  stream.handler = [handler = std::move(handler)](
                       RequestContext& context,
                       grpc::ByteBuffer* bytes) -> absl::StatusOr<WireStreamPtr> {
    RequestMessage<Request> request;
    SD_RETURN_IF_ERROR(ParseMessage(bytes, request.get()));
    SD_ASSIGN_OR_RETURN(auto messages, handler(context, *request));
    return ToWireStream(std::move(messages));
  };
  if (can_run_inline != nullptr) {
    stream.can_run_inline = [can_run_inline =
                                 std::move(can_run_inline)](const grpc::ByteBuffer& bytes) {
      if (bytes.Length() > kMaxInlineRequestBytes) return false;
      grpc::ByteBuffer copy(bytes);
      RequestMessage<Request> request;
      return ParseMessage(&copy, request.get()).ok() && can_run_inline(*request);
    };
  }
  AddStreamMethod(method, std::make_shared<const StreamMethod>(std::move(stream)));
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_RPC_SERVICE_H_
