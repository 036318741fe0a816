// WireWriter: a protobuf message that is written in wire form, field by field.
//
// For replies that would take longer to fill and serialize as message objects than the work they
// report: prims by the hundred thousand, and arrays, whose bytes are sent from where they are.
// Used by one thread.
#ifndef STAGEDOOR_SERVER_RPC_WIRE_WRITER_H_
#define STAGEDOOR_SERVER_RPC_WIRE_WRITER_H_

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor {

// Bytes that are sent from where they are, and what keeps them there.
struct PinnedChunk {
  std::string_view bytes;
  std::shared_ptr<const void> pin;
};

class WireWriter {
 public:
  // Room for a message of about so many bytes, chunks not counted.
  void Reserve(size_t bytes) { text_.reserve(bytes); }

  // A varint field: an integer, bool or enum. Left out if 0, as every default in proto3.
  void Number(int field, uint64_t number);
  // A field of bytes or text.
  void Bytes(int field, std::string_view bytes);
  // A field of bytes that are not copied, but stay pinned until they were sent. Left out if empty.
  void Chunk(int field, PinnedChunk chunk);
  // A field that is a message.
  void Message(int field, const google::protobuf::MessageLite& message);
  void Message(int field, WireWriter message);
  // All fields of `message`, which is of the type that is being written.
  void Fields(const google::protobuf::MessageLite& message);

  // The size of the message so far.
  size_t size() const { return pieces_bytes_ + text_.size(); }
  bool empty() const { return size() == 0; }

  grpc::ByteBuffer Finish() &&;

 private:
  // Text and the chunk that follows it.
  struct Piece {
    std::string text;
    PinnedChunk chunk;
  };

  void Varint(uint64_t number);
  void Tag(int field, uint32_t wire_type);
  // The beginning of a field of `size` bytes.
  void Head(int field, size_t size);
  void AddPiece(std::string text, PinnedChunk chunk);

  std::vector<Piece> pieces_;
  size_t pieces_bytes_ = 0;
  std::string text_;  // behind the pieces
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_WIRE_WRITER_H_
