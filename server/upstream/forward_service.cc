#include "server/upstream/forward_service.h"

#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>

#include <map>
#include <string>
#include <utility>

#include "server/rpc/call_admission.h"
#include "server/upstream/forwarded_call.h"
#include "server/upstream/node.h"

namespace stagedoor::server {
namespace {

using grpc::internal::RpcMethod;
using grpc::internal::RpcServiceMethod;
using UnaryBytes = grpc::internal::CallbackUnaryHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
using StreamedBytes =
    grpc::internal::CallbackServerStreamingHandler<grpc::ByteBuffer, grpc::ByteBuffer>;

// gRPC does not use the request any more.
grpc::ByteBuffer* Taken(const grpc::ByteBuffer* request) {
  return const_cast<grpc::ByteBuffer*>(request);
}

// The call of a unary method. gRPC runs the reactions of a stream on threads of their own, those of
// a unary call where it is.
class ForwardedUnary final : public grpc::ServerUnaryReactor, public ForwardedCall {
 public:
  ForwardedUnary(CallAdmission& admission, MethodCounters& counters, Node& node,
                 const ForwardedMethod& method, grpc::CallbackServerContext* context,
                 grpc::ByteBuffer* request, grpc::ByteBuffer* reply)
      : ForwardedCall(admission, counters, node, method, context, request), reply_(reply) {}

 private:
  void WriteMessage(const grpc::ByteBuffer*) override {}  // the only message is the last one
  void WriteLastMessage(grpc::ByteBuffer* message, const grpc::Status& status) override {
    reply_->Swap(message);
    Finish(status);
  }
  void FinishCall(const grpc::Status& status) override { Finish(status); }

  void OnCancel() override { Cancelled(); }
  void OnDone() override { Done(); }
  // OnCancel and OnDone are quick, so gRPC may run them without waking another thread.
  bool InternalInlineable() override { return true; }

  grpc::ByteBuffer* const reply_;
};

// The call of a method whose reply is a stream.
class ForwardedStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                              public ForwardedCall {
 public:
  using ForwardedCall::ForwardedCall;

 private:
  void WriteMessage(const grpc::ByteBuffer* message) override { StartWrite(message); }
  void WriteLastMessage(grpc::ByteBuffer* message, const grpc::Status& status) override {
    StartWriteAndFinish(message, grpc::WriteOptions(), status);
  }
  void FinishCall(const grpc::Status& status) override { Finish(status); }

  void OnWriteDone(bool ok) override { MessageWritten(ok); }
  void OnCancel() override { Cancelled(); }
  void OnDone() override { Done(); }
};

// One service of the API, so that reflection lists all of them.
class ForwardService final : public grpc::Service {
 public:
  void Add(CallAdmission& admission, Node& node, const ForwardedMethod& method) {
    MethodCounters& counters = admission.GetMethodCounters(method.name(), method.policy);
    const auto type = method.streams ? RpcMethod::SERVER_STREAMING : RpcMethod::NORMAL_RPC;
    AddMethod(new RpcServiceMethod(method.path.c_str(), type, nullptr));
    MarkMethodRawCallback(count_++, method.streams ? MakeStream(admission, counters, node, method)
                                                   : MakeUnary(admission, counters, node, method));
  }

 private:
  using Handler = grpc::internal::MethodHandler;

  static Handler* MakeUnary(CallAdmission& admission, MethodCounters& counters, Node& node,
                            const ForwardedMethod& method) {
    return new UnaryBytes([&admission, &counters, &node, &method](
                              grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                              grpc::ByteBuffer* reply) {
      auto* const call =
          new ForwardedUnary(admission, counters, node, method, context, Taken(request), reply);
      call->Start();
      return call;
    });
  }
  static Handler* MakeStream(CallAdmission& admission, MethodCounters& counters, Node& node,
                             const ForwardedMethod& method) {
    return new StreamedBytes(
        [&admission, &counters, &node, &method](grpc::CallbackServerContext* context,
                                                const grpc::ByteBuffer* request) {
          auto* const call =
              new ForwardedStream(admission, counters, node, method, context, Taken(request));
          call->Start();
          return call;
        });
  }

  int count_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<grpc::Service>> MakeForwardServices(CallAdmission& admission,
                                                                Node& node) {
  std::map<std::string, std::unique_ptr<ForwardService>> by_name;
  for (const ForwardedMethod& method : node.methods()) {
    auto& service = by_name[method.path.substr(0, method.path.rfind('/'))];
    if (service == nullptr) service = std::make_unique<ForwardService>();
    service->Add(admission, node, method);
  }
  std::vector<std::unique_ptr<grpc::Service>> services;
  for (auto& [name, service] : by_name) services.push_back(std::move(service));
  return services;
}

}  // namespace stagedoor::server
