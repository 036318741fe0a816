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
using StreamedReply =
    grpc::internal::CallbackServerStreamingHandler<grpc::ByteBuffer, grpc::ByteBuffer>;

// One service of the API, so that reflection lists all of them.
class ForwardService final : public grpc::Service {
 public:
  void Add(CallAdmission& admission, Node& node, const ForwardedMethod& method) {
    MethodCounters& counters = admission.GetMethodCounters(method.name(), method.policy);
    AddMethod(new RpcServiceMethod(method.path.c_str(), RpcMethod::SERVER_STREAMING, nullptr));
    MarkMethodRawCallback(count_++, new StreamedReply([&admission, &node, &method, &counters](
                                                          grpc::CallbackServerContext* context,
                                                          const grpc::ByteBuffer* request) {
                            // gRPC does not use the request any more.
                            auto* const bytes = const_cast<grpc::ByteBuffer*>(request);
                            auto* const call = new ForwardedCall(admission, counters, node, method,
                                                                 context, bytes);
                            call->Start();
                            return call;
                          }));
  }

 private:
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
