#include "server/rpc/rpc_service.h"

#include <new>

#include "base/strings.h"
#include "base/time_slice.h"

namespace stagedoor {
namespace {

using grpc::internal::RpcMethod;
using grpc::internal::RpcServiceMethod;
using UnaryBytes = grpc::internal::CallbackUnaryHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
using StreamedBytes =
    grpc::internal::CallbackServerStreamingHandler<grpc::ByteBuffer, grpc::ByteBuffer>;

// gRPC hands out its request as constant, though nobody else looks at it; taking it frees the bytes
// as soon as they were read.
grpc::ByteBuffer* Taken(const grpc::ByteBuffer* request) {
  return const_cast<grpc::ByteBuffer*>(request);
}

grpc::Status NoMemory() {
  return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "out of memory");
}

// To be called where gRPC first hands a call to us. Its threads read calls and answer the light
// ones, so they want their turn before those of the short lane. In the daemon they have inherited
// that; in other programs we see them here only.
void MakeThreadPrompt() {
  thread_local const bool once = RequestTimeSlice(kShortestTimeSlice);
  static_cast<void>(once);
}

}  // namespace

grpc::ServerUnaryReactor* RefuseForMemory(grpc::CallbackServerContext* context) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(NoMemory());
  return reactor;
}

const char* RpcService::AddName(std::string_view method) {
  return names_.emplace_back(Concat("/", name_, "/", method)).c_str();
}

MethodCounters& RpcService::CountersOf(std::string_view method) {
  return runtime_.CountersOf(Concat(name_, "/", method));
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
                          auto* call = new StreamCall(runtime_, *stream, context, Taken(request));
                          call->Start();
                          return call;
                        }));
}

}  // namespace stagedoor
