#ifndef STAGEDOOR_CLIENT_CC_API_CHANNEL_H_
#define STAGEDOOR_CLIENT_CC_API_CHANNEL_H_

#include <google/protobuf/message_lite.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/sync_stream.h>

#include <functional>
#include <memory>
#include <vector>

namespace stagedoor {

// The methods of the API.
enum class ApiMethod : size_t {
#define UNARY(service, method) k##method,
#define STREAM(service, method) k##method,
#include "client/cc/client_methods.inc"
#undef STREAM
#undef UNARY
};

// Makes calls of the API's methods on a channel, as the stubs that gRPC generates do, but for
// messages of any type: so gRPC's templates are instantiated once instead of for each method.
// Requests and responses must be of the types of the method. Thread-safe.
class ApiChannel {
 public:
  using Message = google::protobuf::MessageLite;

  explicit ApiChannel(std::shared_ptr<grpc::Channel> channel);

  // Makes a unary call on the calling thread.
  grpc::Status Call(ApiMethod method, grpc::ClientContext* context, const Message& request,
                    Message* response) const;
  // Starts a unary call. The messages must exist until `done` is called.
  void CallAsync(ApiMethod method, grpc::ClientContext* context, const Message* request,
                 Message* response, std::function<void(grpc::Status)> done) const;

  // Starts a server-streaming call, whose messages are read on the calling thread.
  std::unique_ptr<grpc::ClientReaderInterface<Message>> Stream(ApiMethod method,
                                                               grpc::ClientContext* context,
                                                               const Message& request) const;
  // Binds `reader` to a server-streaming call. The request must exist until the reader has started
  // the call.
  void StreamAsync(ApiMethod method, grpc::ClientContext* context, const Message* request,
                   grpc::ClientReadReactor<Message>* reader) const;

 private:
  const grpc::internal::RpcMethod& At(ApiMethod method) const {
    return methods_[static_cast<size_t>(method)];
  }

  const std::shared_ptr<grpc::Channel> channel_;
  std::vector<grpc::internal::RpcMethod> methods_;  // by ApiMethod
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_API_CHANNEL_H_
