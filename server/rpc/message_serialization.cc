#include "server/rpc/message_serialization.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <climits>
#include <utility>

#include "base/memory_guard.h"
#include "base/request_context.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/error_info.h"
#include "server/rpc/slice_stream.h"

namespace stagedoor::server {
namespace {

constexpr size_t kLargeMessage = 1 << 20;

absl::Status TooLarge(size_t bytes) {
  return WithReason(
      ResourceExhaustedError("cannot send a message of ", bytes, " bytes: the limit is ", INT_MAX,
                             "; request less at a time"),
      v1::ERROR_REASON_REQUEST_TOO_LARGE);
}

grpc::ByteBuffer Serialize(const google::protobuf::MessageLite& message, size_t bytes) {
  // gRPC allocates the bytes, and aborts the process if that fails.
  if (bytes > kLargeMessage) CheckMemoryAvailable(bytes);
  grpc::ByteBuffer out;
  bool own;
  // Fails only for a message that grows meanwhile, which does not happen here.
  (void)grpc::GenericSerialize<grpc::ProtoBufferWriter, google::protobuf::MessageLite>(message,
                                                                                       &out, &own);
  return out;
}

// Reserves nothing but the bytes of the reply, and returns their number. All other memory of the
// call has been released.
absl::StatusOr<size_t> ReserveReply(RequestContext& context,
                                    const google::protobuf::MessageLite& reply) {
  const size_t bytes = reply.ByteSizeLong();
  if (bytes > INT_MAX) return TooLarge(bytes);
  const size_t reserved = context.reserved_bytes();
  if (reserved > bytes) context.Release(reserved - bytes);
  if (reserved < bytes) SD_RETURN_IF_ERROR(context.Reserve(bytes - reserved, "the reply"));
  return bytes;
}

}  // namespace

absl::Status ParseMessage(grpc::ByteBuffer* bytes, google::protobuf::Message* message) {
  const grpc::Status read =
      grpc::GenericDeserialize<grpc::ProtoBufferReader, google::protobuf::Message>(bytes, message);
  if (read.ok()) return absl::OkStatus();
  return WithReason(InvalidArgumentError("the request is not a valid ", message->GetTypeName()),
                    v1::ERROR_REASON_UNDECODABLE);
}

absl::StatusOr<grpc::ByteBuffer> SerializeMessage(const google::protobuf::MessageLite& message) {
  const size_t bytes = message.ByteSizeLong();
  if (bytes > INT_MAX) return TooLarge(bytes);
  return Serialize(message, bytes);
}

absl::Status SerializeReply(RequestContext& context, const google::protobuf::MessageLite& reply,
                            grpc::ByteBuffer* out) {
  SD_ASSIGN_OR_RETURN(const size_t bytes, ReserveReply(context, reply));
  *out = Serialize(reply, bytes);
  return absl::OkStatus();
}

absl::Status SerializeReply(RequestContext& context,
                            std::shared_ptr<const google::protobuf::MessageLite> reply,
                            grpc::ByteBuffer* out) {
  SD_ASSIGN_OR_RETURN(const size_t bytes, ReserveReply(context, *reply));
  if (bytes <= kLargeMessage) {
    *out = Serialize(*reply, bytes);
    return absl::OkStatus();
  }
  SliceStream stream(std::move(reply));
  *out = std::move(stream).Serialize();
  return absl::OkStatus();
}

}  // namespace stagedoor::server
