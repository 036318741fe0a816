#include "server/testing/handler_table.h"

#include <functional>
#include <map>
#include <utility>

#include "base/status_macros.h"
#include "server/rpc/message_serialization.h"
#include "server/rpc/wire_stream.h"
#include "server/services/enum_validator.h"
#include "server/services/methods.h"
#include "server/testing/byte_buffers.h"

namespace stagedoor::server {
namespace {

using Handler = std::function<absl::Status(const ServerState&, RequestContext&, const std::string&,
                                           std::vector<std::string>*)>;

template <typename Request>
absl::Status Read(const std::string& bytes, Request* request) {
  grpc::ByteBuffer buffer = BufferOf(bytes);
  SD_RETURN_IF_ERROR(ParseMessage(&buffer, request));
  return ValidateEnums(*request);
}

template <typename State, typename Request, typename Response>
Handler Generic(absl::Status (*handler)(const State&, RequestContext&, const Request&, Response*)) {
  return [handler](const ServerState& state, RequestContext& context, const std::string& bytes,
                   std::vector<std::string>* messages) -> absl::Status {
    Request request;
    SD_RETURN_IF_ERROR(Read(bytes, &request));
    SD_RETURN_IF_ERROR(FillPaths(state.Get<PathSetState>().path_sets, context, &request));
    Response response;
    SD_RETURN_IF_ERROR(handler(state.Get<State>(), context, request, &response));
    grpc::ByteBuffer reply;
    SD_RETURN_IF_ERROR(SerializeReply(context, response, &reply));
    messages->push_back(BytesOf(reply));
    return absl::OkStatus();
  };
}

template <typename State, typename Request, typename Stream>
Handler Generic(absl::StatusOr<Stream> (*handler)(const State&, RequestContext&, const Request&)) {
  return [handler](const ServerState& state, RequestContext& context, const std::string& bytes,
                   std::vector<std::string>* messages) -> absl::Status {
    Request request;
    SD_RETURN_IF_ERROR(Read(bytes, &request));
    SD_RETURN_IF_ERROR(FillPaths(state.Get<PathSetState>().path_sets, context, &request));
    SD_ASSIGN_OR_RETURN(auto made, handler(state.Get<State>(), context, request));
    const WireStreamPtr stream = ToWireStream(std::move(made));
    do {
      grpc::ByteBuffer message;
      SD_ASSIGN_OR_RETURN(const bool more, stream->Next(context, &message));
      if (!more) break;
      messages->push_back(BytesOf(message));
    } while (!stream->AtEnd() && !stream->MayWait());
    return absl::OkStatus();
  };
}

// Collects the handlers of all services: see methods.h.
struct HandlerTable {
  template <typename Handles, typename... CanRunInline>
  void Unary(const char* method, const MethodPolicy&, Handles handles, CanRunInline...) {
    handlers.emplace(method, Generic(handles));
  }
  template <typename Handles, typename... CanRunInline>
  void Stream(const char* method, const MethodPolicy&, Handles handles, CanRunInline...) {
    handlers.emplace(method, Generic(handles));
  }

  std::map<std::string, Handler> handlers;
};

const std::map<std::string, Handler>& Handlers() {
  static const auto* all = [] {
    auto* table = new HandlerTable;
    AddAllMethods(*table);
    return table;
  }();
  return all->handlers;
}

}  // namespace

absl::Status CallHandler(const google::protobuf::MethodDescriptor& method, const ServerState& state,
                         RequestContext& context, const std::string& request,
                         std::vector<std::string>* messages) {
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(Handlers().at(method.name())(state, context, request, messages));
  return context.failed() ? context.Check() : absl::OkStatus();
}

}  // namespace stagedoor::server
