#include "client/cc/api_channel.h"

#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <iterator>
#include <utility>

namespace stagedoor {
namespace {

using grpc::internal::RpcMethod;

struct MethodName {
  const char* path;
  RpcMethod::RpcType type;
};

constexpr MethodName kApiMethods[] = {
#define UNARY(service, method) \
  {"/stagedoor.v1." #service "Service/" #method, RpcMethod::NORMAL_RPC},
#define STREAM(service, method) \
  {"/stagedoor.v1." #service "Service/" #method, RpcMethod::SERVER_STREAMING},
#include "client/cc/client_methods.inc"
#undef STREAM
#undef UNARY
};

}  // namespace

ApiChannel::ApiChannel(std::shared_ptr<grpc::Channel> channel) : channel_(std::move(channel)) {
  methods_.reserve(std::size(kApiMethods));
  for (const MethodName& method : kApiMethods) {
    methods_.emplace_back(method.path, method.type, channel_);
  }
}

grpc::Status ApiChannel::Call(ApiMethod method, grpc::ClientContext* context,
                              const Message& request, Message* response) const {
  return grpc::internal::BlockingUnaryCall<Message, Message>(channel_.get(), At(method), context,
                                                             request, response);
}

void ApiChannel::CallAsync(ApiMethod method, grpc::ClientContext* context, const Message* request,
                           Message* response, std::function<void(grpc::Status)> done) const {
  grpc::internal::CallbackUnaryCall<Message, Message>(channel_.get(), At(method), context, request,
                                                      response, std::move(done));
}

std::unique_ptr<grpc::ClientReaderInterface<ApiChannel::Message>> ApiChannel::Stream(
    ApiMethod method, grpc::ClientContext* context, const Message& request) const {
  return std::unique_ptr<grpc::ClientReaderInterface<Message>>(
      grpc::internal::ClientReaderFactory<Message>::Create(channel_.get(), At(method), context,
                                                           request));
}

void ApiChannel::StreamAsync(ApiMethod method, grpc::ClientContext* context, const Message* request,
                             grpc::ClientReadReactor<Message>* reader) const {
  grpc::internal::ClientCallbackReaderFactory<Message>::Create(channel_.get(), At(method), context,
                                                               request, reader);
}

}  // namespace stagedoor
