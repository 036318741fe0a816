// WireWriter writes a protobuf message in wire form, field by field.
//
// It is meant for replies that would take longer to fill and serialize as message objects than to
// compute: hundreds of thousands of prims, and arrays, whose bytes are sent without copying them.
// Not thread-safe.
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

namespace stagedoor::server {

// Bytes that are sent without a copy; `pin` keeps them alive.
struct PinnedChunk {
  std::string_view bytes;
  std::shared_ptr<const void> pin;
};

class WireWriter {
 public:
  // Reserves memory for a message of about `bytes` bytes, not counting chunks.
  void Reserve(size_t bytes) { text_.reserve(bytes); }

  // Writes a varint field: an integer, bool or enum. Omitted if 0, as proto3 omits defaults.
  void Number(int field, uint64_t number);
  // Writes a bytes or string field, even if empty.
  void Bytes(int field, std::string_view bytes);
  // Writes a bytes field without a copy; it stays pinned until it is sent. Omitted if empty.
  void Chunk(int field, PinnedChunk chunk);
  // Writes a message field.
  void Message(int field, const google::protobuf::MessageLite& message);
  void Message(int field, WireWriter message);
  // Writes all fields of `message`, which must be of the type being written.
  void Fields(const google::protobuf::MessageLite& message);

  // The size of the message so far.
  size_t size() const { return pieces_bytes_ + text_.size(); }
  bool empty() const { return size() == 0; }

  // The message, with chunks copied.
  std::string ToString() const;
  // The message, as it is sent.
  grpc::ByteBuffer Finish() &&;

 private:
  // Copied bytes and the chunk that follows them.
  struct Piece {
    std::string text;
    PinnedChunk chunk;
  };

  void Varint(uint64_t number);
  void Tag(int field, uint32_t wire_type);
  // Writes the tag and length of a field of `size` bytes.
  void Head(int field, size_t size);
  void AddPiece(std::string text, PinnedChunk chunk);

  std::vector<Piece> pieces_;
  size_t pieces_bytes_ = 0;
  std::string text_;  // follows the pieces
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_WIRE_WRITER_H_
