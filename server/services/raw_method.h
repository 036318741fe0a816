#ifndef STAGEDOOR_SERVER_SERVICES_RAW_METHOD_H_
#define STAGEDOOR_SERVER_SERVICES_RAW_METHOD_H_

#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <utility>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "server/rpc/stream_call.h"

namespace stagedoor {

// Streaming methods that make their messages in wire form: arrays are then sent from where they
// are.
using RawCall = StreamCall<grpc::ByteBuffer, grpc::ByteBuffer>;
using RawStreamPtr = ResponseStreamPtr<grpc::ByteBuffer>;

// INVALID_ARGUMENT where the bytes are no such request.
template <typename Request>
absl::StatusOr<Request> ParseRawRequest(grpc::ByteBuffer bytes) {
  Request request;
  if (!grpc::SerializationTraits<Request>::Deserialize(&bytes, &request).ok()) {
    return InvalidArgumentError("the request is no ", request.GetTypeName());
  }
  return request;
}

// The handler of a raw method, of one for the parsed request.
template <typename Request>
RawCall::Handler RawHandler(
    std::function<absl::StatusOr<RawStreamPtr>(RequestContext&, const Request&)> handler) {
  return [handler = std::move(handler)](
             RequestContext& call, const grpc::ByteBuffer& bytes) -> absl::StatusOr<RawStreamPtr> {
    const absl::StatusOr<Request> request = ParseRawRequest<Request>(bytes);
    if (!request.ok()) return request.status();
    return handler(call, *request);
  };
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_SERVICES_RAW_METHOD_H_
