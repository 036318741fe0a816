#include "server/rpc/rpc_service.h"

#include <new>

#include "base/strings.h"
#include "base/time_slice.h"
#include "server/rpc/grpc_status.h"

namespace stagedoor::server {
namespace {

using grpc::internal::RpcMethod;
using grpc::internal::RpcServiceMethod;
using UnaryBytes = grpc::internal::CallbackUnaryHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
using StreamedBytes =
    grpc::internal::CallbackServerStreamingHandler<grpc::ByteBuffer, grpc::ByteBuffer>;

// gRPC passes the request as const although it no longer uses it. Taking it allows us to free the
// bytes as soon as they are parsed.
grpc::ByteBuffer* Taken(const grpc::ByteBuffer* request) {
  return const_cast<grpc::ByteBuffer*>(request);
}

// To be called where gRPC first passes a call to us. gRPC's threads read calls and answer the light
// ones, so they should run before those of the short lane. In the daemon they inherit the time
// slice; in other programs this is the only place to set it.
void MakeThreadPrompt() {
  thread_local const bool once = SetTimeSlice(kShortestTimeSlice);
  static_cast<void>(once);
}

}  // namespace

grpc::ServerUnaryReactor* RejectOutOfMemory(grpc::CallbackServerContext* context) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(OutOfMemoryStatus());
  return reactor;
}

const char* RpcService::AddName(std::string_view method) {
  return names_.emplace_back(Concat("/", name_, "/", method)).c_str();
}

MethodCounters& RpcService::GetMethodCounters(std::string_view method, const MethodPolicy& policy) {
  return admission_.GetMethodCounters(Concat(name_, "/", method), policy);
}

void RpcService::AddUnaryMethod(
    std::string_view method,
    std::function<grpc::ServerUnaryReactor*(grpc::CallbackServerContext*, grpc::ByteBuffer*,
                                            grpc::ByteBuffer*)>
        start) {
  const int index = static_cast<int>(names_.size());
  AddMethod(new RpcServiceMethod(AddName(method), RpcMethod::NORMAL_RPC, nullptr));
  MarkMethodRawCallback(
      index, new UnaryBytes([start = std::move(start)](grpc::CallbackServerContext* context,
                                                       const grpc::ByteBuffer* request,
                                                       grpc::ByteBuffer* reply) {
        MakeThreadPrompt();
        return start(context, Taken(request), reply);
      }));
}

void RpcService::AddStreamMethod(std::string_view method,
                                 std::shared_ptr<const StreamMethod> stream) {
  const int index = static_cast<int>(names_.size());
  AddMethod(new RpcServiceMethod(AddName(method), RpcMethod::SERVER_STREAMING, nullptr));
  MarkMethodRawCallback(index, new StreamedBytes([this, stream = std::move(stream)](
                                                     grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request) {
                          MakeThreadPrompt();
                          auto* call = new StreamCall(admission_, *stream, context, Taken(request));
                          call->Start();
                          return call;
                        }));
}

}  // namespace stagedoor::server
