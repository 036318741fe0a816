#include "server/query_stream/query_channel_service.h"

#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/server_context.h>

#include <functional>
#include <utility>

#include "server/query_stream/query_streams.h"
#include "server/query_stream/refused_stream.h"

namespace stagedoor::server {
namespace {

using grpc::internal::RpcMethod;
using grpc::internal::RpcServiceMethod;
using Frames = grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>;

constexpr const char* kStreamQueries = "/stagedoor.v1.QueryChannelService/StreamQueries";

class QueryChannelService final : public grpc::Service {
 public:
  explicit QueryChannelService(std::function<QueryReactor*(grpc::CallbackServerContext*)> open) {
    AddMethod(new RpcServiceMethod(kStreamQueries, RpcMethod::BIDI_STREAMING, nullptr));
    MarkMethodRawCallback(0, new Frames(std::move(open)));
  }
};

}  // namespace

std::unique_ptr<grpc::Service> MakeQueryChannelService(QueryStreams& streams) {
  return std::make_unique<QueryChannelService>(
      [&streams](grpc::CallbackServerContext* context) { return streams.Open(context); });
}

std::unique_ptr<grpc::Service> MakeUnimplementedQueryChannelService() {
  return std::make_unique<QueryChannelService>([](grpc::CallbackServerContext*) -> QueryReactor* {
    return new RefusedStream(grpc::Status(
        grpc::StatusCode::UNIMPLEMENTED,
        "a node daemon answers no query frames; use BatchGetValues, or ask the upstream daemon"));
  });
}

}  // namespace stagedoor::server
