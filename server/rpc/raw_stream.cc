#include "server/rpc/raw_stream.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpcpp/support/slice.h>

#include <memory>
#include <string>
#include <vector>

namespace stagedoor {
namespace {

constexpr int kLengthDelimited = 2;

void Unpin(void* pin) { delete static_cast<std::shared_ptr<const void>*>(pin); }

grpc::Slice PinnedSlice(PinnedChunk chunk) {
  auto* pin = new std::shared_ptr<const void>(std::move(chunk.pin));
  return grpc::Slice(const_cast<char*>(chunk.bytes.data()), chunk.bytes.size(), Unpin, pin);
}

grpc::Slice OwningSlice(std::string text) {
  auto* held = new std::string(std::move(text));
  const auto drop = [](void* kept) { delete static_cast<std::string*>(kept); };
  return grpc::Slice(held->data(), held->size(), drop, held);
}

}  // namespace

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
