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
#include "server/rpc/stream_call.h"
#include "server/rpc/unary_call.h"

namespace stagedoor {

// A gRPC service whose methods are added one by one. Requests come as bytes and replies leave as
// bytes: we read them ourselves, on the executor unless they are small, and say what is wrong with
// those that are no such message, where gRPC would answer UNIMPLEMENTED without a word.
class RpcService : public grpc::Service {
 public:
  // `name` is "PACKAGE.SERVICE". `runtime` outlives the service.
  RpcService(CallRuntime& runtime, std::string_view name) : runtime_(runtime), name_(name) {}

  template <typename Request, typename Response>
  void AddUnary(std::string_view method, Weight weight,
                std::function<absl::Status(RequestContext&, const Request&, Response*)> handler,
                std::function<bool(const Request&)> is_light = nullptr);

  // `handler` returns a StatusOr of a stream that ToWireStream takes.
  template <typename Request, typename Handler>
  void AddStream(std::string_view method, Weight weight, Handler handler,
                 std::function<bool(const Request&)> is_light = nullptr);

 private:
  void AddUnaryMethod(std::string_view method,
                      std::function<grpc::ServerUnaryReactor*(grpc::CallbackServerContext*,
                                                              grpc::ByteBuffer*, grpc::ByteBuffer*)>
                          start);
  void AddStreamMethod(std::string_view method, std::shared_ptr<const StreamMethod> stream);
  // Full names, which gRPC refers to; the counters' lack the leading slash.
  const char* AddName(std::string_view method);
  MethodCounters& CountersOf(std::string_view method);

  CallRuntime& runtime_;
  const std::string name_;
  std::deque<std::string> names_;
};

// The reactor of a call that there is no memory for.
grpc::ServerUnaryReactor* RefuseForMemory(grpc::CallbackServerContext* context);

template <typename Request, typename Response>
void RpcService::AddUnary(
    std::string_view method, Weight weight,
    std::function<absl::Status(RequestContext&, const Request&, Response*)> handler,
    std::function<bool(const Request&)> is_light) {
  using Method = UnaryMethod<Request, Response>;
  const auto unary = std::make_shared<const Method>(
      Method{CountersOf(method), weight, std::move(is_light), std::move(handler)});
  AddUnaryMethod(method,
                 [this, unary](grpc::CallbackServerContext* context, grpc::ByteBuffer* request,
                               grpc::ByteBuffer* reply) -> grpc::ServerUnaryReactor* {
                   try {
                     auto* call = new UnaryCall<Request, Response>(runtime_, *unary, context,
                                                                   request, reply);
                     call->Start();
                     return call;
                   } catch (const std::bad_alloc&) {
                     return RefuseForMemory(context);
                   }
                 });
}

template <typename Request, typename Handler>
void RpcService::AddStream(std::string_view method, Weight weight, Handler handler,
                           std::function<bool(const Request&)> is_light) {
  // Longer ones have so many items that they are not light.
  constexpr size_t kLightBytes = 4096;
  StreamMethod stream{CountersOf(method), weight, nullptr, nullptr};
  stream.handler = [handler = std::move(handler)](
                       RequestContext& context,
                       grpc::ByteBuffer* bytes) -> absl::StatusOr<WireStreamPtr> {
    Request request;
    SD_RETURN_IF_ERROR(ReadMessage(bytes, &request));
    SD_ASSIGN_OR_RETURN(auto messages, handler(context, request));
    return ToWireStream(std::move(messages));
  };
  if (is_light != nullptr) {
    stream.is_light = [is_light = std::move(is_light)](const grpc::ByteBuffer& bytes) {
      if (bytes.Length() > kLightBytes) return false;
      grpc::ByteBuffer copy(bytes);
      Request request;
      return ReadMessage(&copy, &request).ok() && is_light(request);
    };
  }
  AddStreamMethod(method, std::make_shared<const StreamMethod>(std::move(stream)));
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_RPC_SERVICE_H_
