#include "server/rpc/wire.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/slice.h>

#include <climits>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_guard.h"
#include "base/request_context.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/errors.h"

namespace stagedoor {
namespace {

constexpr int kLengthDelimited = 2;
constexpr size_t kLargeMessage = 1 << 20;

void Unpin(void* pin) { delete static_cast<std::shared_ptr<const void>*>(pin); }

grpc::Slice PinnedSlice(PinnedChunk chunk) {
  auto pin = std::make_unique<std::shared_ptr<const void>>(std::move(chunk.pin));
  grpc::Slice slice(const_cast<char*>(chunk.bytes.data()), chunk.bytes.size(), Unpin, pin.get());
  (void)pin.release();
  return slice;
}

grpc::Slice OwningSlice(std::string text) {
  auto held = std::make_unique<std::string>(std::move(text));
  const auto drop = [](void* kept) { delete static_cast<std::string*>(kept); };
  grpc::Slice slice(held->data(), held->size(), drop, held.get());
  (void)held.release();
  return slice;
}

absl::Status TooLarge(size_t bytes) {
  return WithReason(ResourceExhaustedError("a message of ", bytes, " bytes, at most ", INT_MAX,
                                           " can be sent: ask for less at a time"),
                    reason::kRequestTooLarge);
}

grpc::ByteBuffer Serialize(const google::protobuf::MessageLite& message, size_t bytes) {
  // gRPC allocates the bytes, and would end the process where that fails.
  if (bytes > kLargeMessage) RequireMemory(bytes);
  grpc::ByteBuffer out;
  bool own;
  // Its status is about a message that grows meanwhile.
  (void)grpc::GenericSerialize<grpc::ProtoBufferWriter, google::protobuf::MessageLite>(message,
                                                                                       &out, &own);
  return out;
}

}  // namespace

absl::Status ReadMessage(grpc::ByteBuffer* bytes, google::protobuf::Message* message) {
  const grpc::Status read =
      grpc::GenericDeserialize<grpc::ProtoBufferReader, google::protobuf::Message>(bytes, message);
  if (read.ok()) return absl::OkStatus();
  return WithReason(InvalidArgumentError("the request is no ", message->GetTypeName()),
                    reason::kUndecodable);
}

absl::StatusOr<grpc::ByteBuffer> WriteMessage(const google::protobuf::MessageLite& message) {
  const size_t bytes = message.ByteSizeLong();
  if (bytes > INT_MAX) return TooLarge(bytes);
  return Serialize(message, bytes);
}

absl::Status WriteReply(RequestContext& context, const google::protobuf::MessageLite& reply,
                        grpc::ByteBuffer* out) {
  const size_t bytes = reply.ByteSizeLong();
  if (bytes > INT_MAX) return TooLarge(bytes);
  // What is still reserved was for the reply.
  const size_t reserved = context.reserved_bytes();
  if (reserved > bytes) context.Release(reserved - bytes);
  if (reserved < bytes) SD_RETURN_IF_ERROR(context.Reserve(bytes - reserved, "the reply"));
  *out = Serialize(reply, bytes);
  return absl::OkStatus();
}

grpc::ByteBuffer MakeRawMessage(const google::protobuf::MessageLite& message, int field,
                                PinnedChunk chunk) {
  std::string head = message.SerializeAsString();
  if (chunk.bytes.empty()) {
    const grpc::Slice slice(head);
    return grpc::ByteBuffer(&slice, 1);
  }
  {
    google::protobuf::io::StringOutputStream stream(&head);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.WriteVarint32(static_cast<uint32_t>(field) << 3 | kLengthDelimited);
    out.WriteVarint64(chunk.bytes.size());
  }
  const grpc::Slice slices[] = {grpc::Slice(head), PinnedSlice(std::move(chunk))};
  return grpc::ByteBuffer(slices, 2);
}

grpc::ByteBuffer MakeRawMessage(std::string wire) {
  const grpc::Slice slice = OwningSlice(std::move(wire));
  return grpc::ByteBuffer(&slice, 1);
}

grpc::ByteBuffer MakeRawMessage(WirePieces pieces) {
  std::vector<grpc::Slice> slices;
  for (WirePiece& piece : pieces) {
    if (!piece.text.empty()) slices.push_back(OwningSlice(std::move(piece.text)));
    if (!piece.chunk.bytes.empty()) slices.push_back(PinnedSlice(std::move(piece.chunk)));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace stagedoor
