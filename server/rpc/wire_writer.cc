#include "server/rpc/wire_writer.h"

#include <grpcpp/support/slice.h>

#include <utility>

namespace stagedoor::server {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kLengthDelimited = 2;
// Texts up to this size are copied, which is cheaper than sharing them.
constexpr size_t kCopiedBytes = 256;

void Unpin(void* pin) { delete static_cast<std::shared_ptr<const void>*>(pin); }

grpc::Slice SliceOf(PinnedChunk chunk) {
  auto pin = std::make_unique<std::shared_ptr<const void>>(std::move(chunk.pin));
  grpc::Slice slice(const_cast<char*>(chunk.bytes.data()), chunk.bytes.size(), Unpin, pin.get());
  (void)pin.release();
  return slice;
}

grpc::Slice SliceOf(std::string text) {
  if (text.size() <= kCopiedBytes) return grpc::Slice(text);
  auto held = std::make_unique<std::string>(std::move(text));
  const auto drop = [](void* kept) { delete static_cast<std::string*>(kept); };
  grpc::Slice slice(held->data(), held->size(), drop, held.get());
  (void)held.release();
  return slice;
}

}  // namespace

void WireWriter::Varint(uint64_t number) {
  for (; number >= 0x80; number >>= 7) text_.push_back(static_cast<char>(number | 0x80));
  text_.push_back(static_cast<char>(number));
}

void WireWriter::Tag(int field, uint32_t wire_type) {
  Varint(static_cast<uint32_t>(field) << 3 | wire_type);
}

void WireWriter::Head(int field, size_t size) {
  Tag(field, kLengthDelimited);
  Varint(size);
}

void WireWriter::Number(int field, uint64_t number) {
  if (number == 0) return;
  Tag(field, kVarint);
  Varint(number);
}

void WireWriter::Bytes(int field, std::string_view bytes) {
  Head(field, bytes.size());
  text_.append(bytes);
}

void WireWriter::Chunk(int field, PinnedChunk chunk) {
  if (chunk.bytes.empty()) return;
  Head(field, chunk.bytes.size());
  AddPiece(std::move(text_), std::move(chunk));
  text_.clear();
}

void WireWriter::Message(int field, const google::protobuf::MessageLite& message) {
  Head(field, message.ByteSizeLong());
  message.AppendToString(&text_);
}

void WireWriter::Message(int field, WireWriter message) {
  Head(field, message.size());
  for (Piece& piece : message.pieces_) {
    text_.append(piece.text);
    AddPiece(std::move(text_), std::move(piece.chunk));
    text_.clear();
  }
  text_.append(message.text_);
}

void WireWriter::Fields(const google::protobuf::MessageLite& message) {
  message.AppendToString(&text_);
}

void WireWriter::AddPiece(std::string text, PinnedChunk chunk) {
  pieces_bytes_ += text.size() + chunk.bytes.size();
  pieces_.push_back({std::move(text), std::move(chunk)});
}

std::string WireWriter::ToString() const {
  std::string message;
  for (const Piece& piece : pieces_) message.append(piece.text).append(piece.chunk.bytes);
  return message.append(text_);
}

grpc::ByteBuffer WireWriter::Finish() && {
  std::vector<grpc::Slice> slices;
  for (Piece& piece : pieces_) {
    slices.push_back(SliceOf(std::move(piece.text)));
    slices.push_back(SliceOf(std::move(piece.chunk)));
  }
  if (!text_.empty()) slices.push_back(SliceOf(std::move(text_)));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace stagedoor::server
